/** The calls to one agent that are under way: so many at a time, each cut when its caller leaves or the peer closes. */
import { Slots } from "../../slots.ts";
import { durationText } from "../../time-limit.ts";
import type { PeerLimits } from "./limits.ts";
import { PeerFailure } from "./peer-failure.ts";

/** Milliseconds in which a slot that is free is had. */
const AT_ONCE = 1;

interface StreamCall {
  readonly cut: AbortController;
  readonly caller: AbortSignal;
  readonly waits: boolean;
}

/** Why a call is cut that nobody waits for any more. */
const OVER = new Error("the call is over");

export class OpenCalls {
  readonly #limits: PeerLimits;
  readonly #slots: Slots;
  readonly #streams: Slots;
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  /** @param count how many at a time */
  constructor(count: number, limits: PeerLimits) {
    this.#limits = limits;
    this.#slots = new Slots(count, Number.POSITIVE_INFINITY);
    // Streams stay: without room beside them, a task could not be canceled for all those that run.
    this.#streams = new Slots(count - Math.floor(count / 8), Number.POSITIVE_INFINITY);
  }

  /** `act` within the time for a call. Rejects with the reason of the caller's signal once that is aborted. */
  async run<T>(caller: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { callTimeout } = this.#limits;
    const cut = new AbortController();
    const leave = this.#enter(cut, caller);
    let hasSlot = false;
    const late = () => cut.abort(hasSlot ? lateCall(callTimeout) : busy());
    const timer = callTimeout > 0 ? setTimeout(late, callTimeout) : undefined;
    try {
      hasSlot = await this.#slots.take(cut.signal);
      cut.signal.throwIfAborted();
      return await act(cut.signal);
    } catch (thrown) {
      throw cut.signal.aborted ? cut.signal.reason : thrown;
    } finally {
      clearTimeout(timer);
      if (hasSlot) this.#slots.release();
      leave();
    }
  }

  /**
   * The events of `act`. To return cuts the call at once, also while the next event is waited for. One that does not
   * wait for others to end fails when too many are under way.
   */
  stream<T>(
    { caller, waits }: { readonly caller: AbortSignal; readonly waits: boolean },
    act: (signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncIterableIterator<T> {
    const cut = new AbortController();
    const events = this.#events({ cut, caller, waits }, act);
    return {
      next: () => events.next(),
      return() {
        cut.abort(OVER);
        return events.return(undefined);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Cuts all calls, and refuses further ones. */
  close(): void {
    this.#isClosed = true;
    for (const cut of this.#open) cut.abort(closed());
  }

  async *#events<T>(
    { cut, caller, waits }: StreamCall,
    act: (signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T, undefined> {
    const leave = this.#enter(cut, caller);
    let hasSlot = false;
    try {
      hasSlot = await this.#slotInTime(cut.signal, waits ? this.#limits.headTimeout : AT_ONCE);
      yield* act(cut.signal);
    } catch (thrown) {
      if (cut.signal.reason !== OVER) throw cut.signal.aborted ? cut.signal.reason : thrown;
    } finally {
      if (hasSlot) this.#releaseStream();
      leave();
    }
  }

  /** Adds a call. What is returned ends it. */
  #enter(cut: AbortController, caller: AbortSignal): () => void {
    caller.throwIfAborted();
    if (this.#isClosed) throw closed();
    const onAbort = () => cut.abort(caller.reason);
    caller.addEventListener("abort", onAbort);
    this.#open.add(cut);
    return () => {
      caller.removeEventListener("abort", onAbort);
      this.#open.delete(cut);
      cut.abort(OVER);
    };
  }

  async #slotInTime(signal: AbortSignal, patience: number): Promise<boolean> {
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal.addEventListener("abort", stop);
    const timer = patience > 0 ? setTimeout(stop, patience) : undefined;
    const hasSlot = await this.#takeStream(waiting.signal);
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    if (hasSlot) return true;
    signal.throwIfAborted();
    throw busy();
  }

  async #takeStream(signal: AbortSignal): Promise<boolean> {
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
