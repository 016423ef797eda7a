/** Who runs at an agent and who waits there. A place is free, or everybody who waits is kept by a limit of their own. */
import type { A2AError } from "../../protocol/errors.ts";
import type { TurnLimits } from "../ports/agent.ts";
import { Place, type Caller, type Refusal } from "./place.ts";

interface Waiting {
  readonly isFull: boolean;
  readonly inLine: number;
  readonly own: number | undefined;
}

export class Line {
  limits: TurnLimits = { running: undefined, perPrincipal: undefined, queue: 0, wait: 0 };
  readonly #callers = new Map<string, Caller>();
  /** Callers with turns that may run once there is a place, those first who have been served least recently. */
  readonly #next = new Map<string, Caller>();
  readonly #emptied: () => void;
  #running = 0;
  #inLine = 0;
  /** Of those in the line the ones that may still find a place free. */
  #arriving = 0;
  #isLettingIn = false;

  /** @param emptied called when nobody runs or waits any more. */
  constructor(emptied: () => void) {
    this.#emptied = emptied;
  }

  /** Why a turn that comes now could neither run nor wait; undefined when it could. */
  refusalOf(name: string): Refusal | undefined {
    const caller = this.#callers.get(name);
    const isFull = caller !== undefined && this.isFullFor(caller);
    if (!isFull && this.#hasRoom) return undefined;
    return this.#refusal({ isFull, inLine: this.#inLine, own: name === "" ? 0 : caller?.inLine });
  }

  /** Why a turn could not wait behind another one of its task, for which a free place is of no use. */
  refusalBehind(caller: Caller): Refusal | undefined {
    const [inLine, own] = [this.#inLine - this.#arriving, caller.inLine - caller.arriving];
    const isFull = this.isFullFor(caller);
    return this.#refusal({ isFull, inLine, own: caller.name === "" ? 0 : own });
  }

  /** @param own the caller's own turns among those in the line, where others wait there too. */
  #refusal({ isFull, inLine, own = 0 }: Waiting): Refusal | undefined {
    const free = this.limits.queue - inLine;
    // Whoever has as many in the line as others still could have leaves the rest to them. Where nobody is asked who
    // they are there is nobody else.
    const isShareUsed = own > 0 && own >= free;
    if (free > 0 && !isShareUsed) return undefined;
    return isFull || (isShareUsed && free > 0) ? "caller" : "agent";
  }

  join(name: string, refused: (refusal: Refusal) => A2AError): Place {
    const caller = this.#callers.get(name) ?? newCaller(name);
    this.#callers.set(name, caller);
    caller.inLine++;
    this.#inLine++;
    caller.arriving++;
    this.#arriving++;
    return new Place(this, caller, refused);
  }

  arrived(caller: Caller): void {
    caller.arriving--;
    this.#arriving--;
  }

  wait(place: Place, caller: Caller): void {
    caller.waiting.add(place);
    this.#admitAgain(caller);
    this.#letIn();
  }

  occupy(place: Place, caller: Caller): void {
    this.#takeOut(place, caller);
    caller.running++;
    this.#running++;
  }

  leave(place: Place, caller: Caller): void {
    this.#takeOut(place, caller);
    this.#forget(caller);
  }

  release(caller: Caller): void {
    caller.running--;
    this.#running--;
    this.#admitAgain(caller);
    this.#letIn();
    this.#forget(caller);
  }

  isFullFor({ running }: Caller): boolean {
    const { perPrincipal } = this.limits;
    return perPrincipal !== undefined && running >= perPrincipal;
  }

  get #hasRoom(): boolean {
    const { running } = this.limits;
    return running === undefined || this.#running < running;
  }

  /** Whoever gives a place back while it is being handed out does not hand it out: turns can be over at once. */
  #letIn(): void {
    if (this.#isLettingIn) return;
    this.#isLettingIn = true;
    try {
      this.#handOut();
    } finally {
      this.#isLettingIn = false;
    }
  }

  #handOut(): void {
    while (this.#hasRoom) {
      const [caller] = this.#next.values();
      if (!caller) return;
      // It comes to stand last, where it has more.
      this.#next.delete(caller.name);
      const [place] = caller.waiting;
      if (!place || this.isFullFor(caller)) continue;
      place.enter();
      this.#admitAgain(caller);
    }
  }

  #admitAgain(caller: Caller): void {
    if (caller.waiting.size > 0 && !this.isFullFor(caller)) this.#next.set(caller.name, caller);
  }

  #takeOut(place: Place, caller: Caller): void {
    caller.waiting.delete(place);
    if (caller.waiting.size === 0) this.#next.delete(caller.name);
    caller.inLine--;
    this.#inLine--;
  }

  #forget(caller: Caller): void {
    if (caller.running + caller.inLine > 0) return;
    this.#callers.delete(caller.name);
    if (this.#callers.size === 0) this.#emptied();
  }
}

function newCaller(name: string): Caller {
  return { name, running: 0, inLine: 0, arriving: 0, waiting: new Set() };
}
