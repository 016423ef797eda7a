/** When an agent is asked next about a task: at once after news, later and later while there are none. */
import type { Signal } from "../cut.ts";
import { isAway } from "./failures.ts";
import { pause } from "./pause.ts";
import type { Leave, Reattachments } from "./reattachments.ts";
import type { UpstreamSettings } from "./settings.ts";
import { backoffOf, type Timers } from "./timers.ts";

export interface PaceParts {
  readonly poll: UpstreamSettings["poll"];
  readonly timers: Timers;
  readonly reattachments: Reattachments;
}

/** An answer to the first questions is often near: they come after a quarter and a half of the interval. */
const EAGER = 2;

/** Of an agent that is there, nobody else is to be minded. */
const FREE: Leave = { isScout: false, end: () => undefined };

export class Pace {
  readonly #parts: PaceParts;
  /** Attempts in a row that brought nothing new. */
  #fruitless = 0;
  /** Whether the last attempt was a question and no stream: the next one waits, whatever was new. */
  #isPolling = false;
  /** Whether the last attempt did not reach the agent. */
  #isAway = false;
  /** Whether the next attempt does not wait. */
  #isDue = false;
  #questions = 0;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Whether nothing new came since the attempt began. */
  get isFruitless(): boolean {
    return this.#fruitless > 0;
  }

  /** Waits until it is time for an attempt. Undefined when the signal is aborted first. */
  async next(signal: Signal): Promise<Leave | undefined> {
    const leave = await this.#leave(signal);
    if (leave !== undefined) this.#fruitless += 1;
    return leave;
  }

  /** Waits as after so many attempts that brought nothing. */
  async after(fruitless: number, signal: Signal): Promise<void> {
    this.#fruitless = fruitless;
    await pause(this.#parts.timers, this.#wait(), signal);
  }

  /** The attempt is a question, or a stream is read. */
  begin(kind: "question" | "stream"): void {
    this.#isPolling = kind === "question";
    this.#isAway = false;
  }

  failed(thrown: unknown): void {
    this.#isAway = isAway(thrown);
  }

  news(): void {
    this.#fruitless = 0;
  }

  /** The next attempt does not wait, and brings nothing new for the first time. */
  hurry(): void {
    this.#fruitless = 0;
    this.again();
  }

  /** The next attempt does not wait. */
  again(): void {
    this.#isDue = true;
  }

  async #leave(signal: Signal): Promise<Leave | undefined> {
    const { timers, reattachments } = this.#parts;
    const isPatient = !this.#isDue && (this.#fruitless > 0 || this.#isPolling);
    this.#isDue = false;
    if (this.#isAway || !isPatient)
      return reattachments.leave({ pause: isPatient ? this.#wait() : 0, signal });
    if (!this.#isPolling) {
      await pause(timers, this.#wait(), signal);
      return reattachments.leave({ pause: 0, signal });
    }
    const eager = this.#questions < EAGER ? 2 ** (this.#questions - EAGER) : 1;
    this.#questions += 1;
    await pause(timers, Math.round(this.#wait() * eager), signal);
    return signal.aborted ? undefined : FREE;
  }

  #wait(): number {
    const { poll, timers } = this.#parts;
    const times = Math.max(1, this.#fruitless);
    return backoffOf(times, { first: poll.interval, most: poll.max }, timers.random());
  }
}
