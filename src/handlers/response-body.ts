/** The body of an HTTP answer, read no faster than it is iterated: at most one chunk waits. */
import type { IncomingMessage } from "node:http";
import type { StepWatch } from "./step-watch.ts";

type Step = IteratorResult<Uint8Array, undefined>;

interface Waiting {
  resolve(step: Step): void;
  reject(thrown: unknown): void;
}

const DONE: Step = { done: true, value: undefined };

/** For the end of an answer to arrive whose reader has seen enough, in milliseconds. */
const END_MS = 250;

/**
 * Fails with the error of a connection that fails. A class of its own, since the iterators that Node and generators make
 * cost a short answer more than the rest of its way.
 */
export class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #response: IncomingMessage;
  readonly #watch: StepWatch;
  readonly #left: () => void;
  #chunk: Uint8Array | undefined;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  #isBegun = false;
  #isOver = false;

  /** @param left called once when nothing more comes that could be cut */
  constructor(response: IncomingMessage, watch: StepWatch, left: () => void) {
    this.#response = response;
    this.#watch = watch;
    this.#left = left;
  }

  next(): Promise<Step> {
    if (!this.#isBegun && !this.#isOver) this.#begin();
    const chunk = this.#chunk;
    if (chunk !== undefined) {
      this.#chunk = undefined;
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isOver) return Promise.resolve(DONE);
    // The time that the reader takes is not the endpoint's.
    this.#watch.begin("idle");
    if (this.#response.isPaused()) this.#response.resume();
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** A connection whose answer ends soon is kept for other requests; one whose answer goes on is closed. */
  return(): Promise<Step> {
    const response = this.#response;
    this.#chunk = undefined;
    if (this.#isOver || response.complete || response.destroyed) this.#end();
    else this.#endSoon();
    if (!response.destroyed) response.resume();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Fails with that. A connection on which all of the answer has come may serve other requests. */
  destroy(reason: Error): void {
    const response = this.#response;
    if (!response.complete && !response.destroyed) return void response.destroy(reason);
    this.#fail(reason);
    response.resume();
  }

  #begin(): void {
    this.#isBegun = true;
    const response = this.#response;
    if (response.destroyed) return this.#fail(response.errored);
    response.on("data", (chunk: Uint8Array) => this.#came(chunk));
    response.on("end", () => this.#end());
    response.on("error", (thrown) => this.#fail(thrown));
    response.on("close", () => this.#fail(undefined));
  }

  #came(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const waiting = this.#taken();
    if (waiting !== undefined) return waiting.resolve({ done: false, value: chunk });
    this.#chunk = chunk;
    this.#response.pause();
  }

  #endSoon(): void {
    const response = this.#response;
    this.#isOver = true;
    const timer = setTimeout(() => response.destroy(), END_MS).unref();
    response.once("close", () => {
      clearTimeout(timer);
      this.#left();
    });
    this.#taken()?.resolve(DONE);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#left();
    this.#taken()?.resolve(DONE);
  }

  #fail(thrown: Error | null | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#left();
    const failure = thrown ?? cut();
    this.#failure = failure;
    this.#taken()?.reject(failure);
  }

  #taken(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#watch.end();
    return waiting;
  }
}

function cut(): Error {
  return Object.assign(new Error("closed in the middle of the answer"), { code: "ECONNRESET" });
}
