/** The calls to one agent that are under way: so many at a time, each cut when its caller leaves or the peer closes. */
import { Cut, type Signal } from "../../cut.ts";
import { Slots } from "../../slots.ts";
import { durationText } from "../../time-limit.ts";
import type { PeerLimits } from "./limits.ts";
import { OpenStream, OVER } from "./open-stream.ts";
import { PeerFailure } from "./peer-failure.ts";

/** Milliseconds in which a slot that is free is had. */
const AT_ONCE = 1;

interface StreamCall {
  readonly caller: Signal;
  /** Whether it waits for others to end when too many are under way. */
  readonly waits: boolean;
}

export class OpenCalls {
  readonly #limits: PeerLimits;
  readonly #slots: Slots;
  readonly #streams: Slots;
  readonly #open = new Set<Cut>();
  #isClosed = false;

  /** @param count how many at a time */
  constructor(count: number, limits: PeerLimits) {
    this.#limits = limits;
    this.#slots = new Slots(count, Number.POSITIVE_INFINITY);
    // Streams stay: without room beside them, a task could not be canceled for all those that run.
    this.#streams = new Slots(count - Math.floor(count / 8), Number.POSITIVE_INFINITY);
  }

  /** `act` within the time for a call. Rejects with the reason of the caller's signal once that is aborted. */
  async run<T>(caller: Signal, act: (signal: Signal) => Promise<T>): Promise<T> {
    const { callTimeout } = this.#limits;
    const cut = new Cut();
    const leave = this.#enter(cut, caller);
    let hasSlot = false;
    let isRead = false;
    const late = () => cut.abort(hasSlot ? lateCall(callTimeout) : busy());
    const timer = callTimeout > 0 ? setTimeout(late, callTimeout) : undefined;
    try {
      hasSlot = await this.#slots.take(cut);
      cut.throwIfAborted();
      const answer = await act(cut);
      isRead = true;
      return answer;
    } catch (thrown) {
      throw cut.aborted ? cut.reason : thrown;
    } finally {
      clearTimeout(timer);
      if (hasSlot) this.#slots.release();
      leave(isRead);
    }
  }

  /**
   * The values that `act` resolves with. To return while the next value is waited for cuts the call at once. One that does
   * not wait for others to end fails when too many are under way.
   */
  stream<T>(
    { caller, waits }: StreamCall,
    act: (signal: Signal) => AsyncIterable<T> | Promise<AsyncIterable<T>>,
  ): AsyncIterableIterator<T> {
    const cut = new Cut();
    let leave: ((isRead: boolean) => void) | undefined;
    let hasSlot = false;
    return new OpenStream({
      cut,
      open: async () => {
        leave = this.#enter(cut, caller);
        const patience = waits ? this.#limits.headTimeout : AT_ONCE;
        hasSlot = this.#takeStreamNow() || (await this.#slotInTime(cut, patience));
        return (await act(cut))[Symbol.asyncIterator]();
      },
      leave: (isRead) => {
        if (hasSlot) this.#releaseStream();
        leave?.(isRead);
      },
    });
  }

  /** Cuts all calls, and refuses further ones. */
  close(): void {
    this.#isClosed = true;
    for (const cut of this.#open) cut.abort(closed());
  }

  /** Adds a call. What is returned ends it, and cuts what is left of one that was not read to its end. */
  #enter(cut: Cut, caller: Signal): (isRead: boolean) => void {
    caller.throwIfAborted();
    if (this.#isClosed) throw closed();
    const onAbort = () => cut.abort(caller.reason);
    caller.addEventListener("abort", onAbort);
    this.#open.add(cut);
    return (isRead) => {
      caller.removeEventListener("abort", onAbort);
      this.#open.delete(cut);
      if (!isRead) cut.abort(OVER);
    };
  }

  async #slotInTime(signal: Signal, patience: number): Promise<boolean> {
    const waiting = new Cut();
    const stop = () => waiting.abort(OVER);
    signal.addEventListener("abort", stop);
    const timer = patience > 0 ? setTimeout(stop, patience) : undefined;
    const hasSlot = await this.#takeStream(waiting);
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    if (hasSlot) return true;
    signal.throwIfAborted();
    throw busy();
  }

  #takeStreamNow(): boolean {
    if (!this.#streams.takeNow()) return false;
    const hasSlot = this.#slots.takeNow();
    if (!hasSlot) this.#streams.release();
    return hasSlot;
  }

  async #takeStream(signal: Signal): Promise<boolean> {
    if (!(await this.#streams.take(signal))) return false;
    const hasSlot = await this.#slots.take(signal);
    if (!hasSlot) this.#streams.release();
    return hasSlot;
  }

  #releaseStream(): void {
    this.#slots.release();
    this.#streams.release();
  }
}

function busy(): PeerFailure {
  return new PeerFailure("UNAVAILABLE", "too many calls to the agent are under way", {
    phase: "queue",
    retryable: true,
  });
}

function lateCall(timeout: number): PeerFailure {
  const message = `the agent did not answer within ${durationText(timeout)}`;
  return new PeerFailure("DEADLINE_EXCEEDED", message, { phase: "answer" });
}

function closed(): PeerFailure {
  return new PeerFailure("UNAVAILABLE", "the agent is no longer called", { phase: "connect" });
}
