/** A turn's place in the line of its agent. */
import type { A2AError } from "../../protocol/errors.ts";
import type { TurnLimits } from "../ports/agent.ts";

/** Whose limit keeps a turn from running. */
export type Refusal = "agent" | "caller";

/** What one caller has at an agent. */
export interface Caller {
  readonly name: string;
  running: number;
  /** How many of its turns are in the line, those behind another turn of their task among them. */
  inLine: number;
  /** Of those the ones of which it is not clear yet whether they have to wait. */
  arriving: number;
  /** Those that nothing but a place is missing to, in the order of their arrival. */
  readonly waiting: Set<Place>;
}

/** The line that a place is in. */
interface PlaceLine {
  readonly limits: TurnLimits;
  /** One of the caller's turns is no longer arriving. */
  arrived(caller: Caller): void;
  refusalBehind(caller: Caller): Refusal | undefined;
  /** Lets it run at once where there is a place. */
  wait(place: Place, caller: Caller): void;
  /** It runs from now on. */
  occupy(place: Place, caller: Caller): void;
  /** It is in the line no more. */
  leave(place: Place, caller: Caller): void;
  /** One of the caller's turns runs no more. */
  release(caller: Caller): void;
  isFullFor(caller: Caller): boolean;
}

/** Who is told what becomes of a place. */
export interface PlaceHolder {
  /** The turn may run. Called once at most, also from within `ready`. */
  enter(): void;
  /** The turn has waited for as long as it may, and is out of the line. */
  tooLate(error: A2AError): void;
}

type Stage = "arriving" | "behind" | "waiting" | "running" | "left";

export class Place {
  readonly #line: PlaceLine;
  readonly #caller: Caller;
  readonly #refused: (refusal: Refusal) => A2AError;
  #stage: Stage = "arriving";
  #holder: PlaceHolder | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(line: PlaceLine, caller: Caller, refused: (refusal: Refusal) => A2AError) {
    this.#line = line;
    this.#caller = caller;
    this.#refused = refused;
  }

  /** Why the turn could not wait behind another one of its task; undefined when it could. */
  get refusalBehind(): Refusal | undefined {
    return this.#line.refusalBehind(this.#caller);
  }

  /** A turn of its task is in its way, whatever the places. */
  stayBehind(): void {
    if (this.#stage === "arriving") this.#moveTo("behind");
  }

  /** Nothing of its task is in its way any more: it runs as soon as the line lets it, if it has not left. */
  ready(holder: PlaceHolder, { patient }: { readonly patient: boolean }): void {
    if (!this.#isBefore) return;
    this.#moveTo("waiting");
    this.#holder = holder;
    this.#line.wait(this, this.#caller);
    // What waits is kept by its caller's connection, or by the store: a timer of its own keeps no process alive.
    if (this.#isWaiting && !patient)
      this.#timer = setTimeout(() => this.#tooLate(), this.#line.limits.wait).unref();
  }

  /** Takes a place at once, whether or not there is one: for what is under way elsewhere already. */
  force(): void {
    if (this.#isBefore) this.#run();
  }

  /** Called by the line, which has a place for it. */
  enter(): void {
    this.#run();
    this.#holder?.enter();
  }

  /** Gives the place back, whatever it is. Safe to call twice. */
  leave(): void {
    const stage = this.#stage;
    this.#moveTo("left");
    clearTimeout(this.#timer);
    switch (stage) {
      case "arriving":
      case "behind":
      case "waiting":
        return this.#line.leave(this, this.#caller);
      case "running":
        return this.#line.release(this.#caller);
      case "left":
        return;
    }
  }

  /** Nothing but its task has kept it so far. */
  get #isBefore(): boolean {
    return this.#stage === "arriving" || this.#stage === "behind";
  }

  #moveTo(stage: Stage): void {
    if (this.#stage === "arriving") this.#line.arrived(this.#caller);
    this.#stage = stage;
  }

  /** Not what it was a moment ago: the line may have let it run meanwhile. */
  get #isWaiting(): boolean {
    return this.#stage === "waiting";
  }

  #run(): void {
    this.#moveTo("running");
    clearTimeout(this.#timer);
    this.#line.occupy(this, this.#caller);
  }

  #tooLate(): void {
    const error = this.#refused(this.#line.isFullFor(this.#caller) ? "caller" : "agent");
    this.leave();
    this.#holder?.tooLate(error);
  }
}
