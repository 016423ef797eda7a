/** The live events of tasks, to whoever follows them in this process. Events arrive here after they are committed. */
import { A2AError } from "../protocol/errors.ts";
import type { TaskState } from "../protocol/states.ts";
import { ChurningMap } from "./churning-map.ts";
import type { Entry } from "./log-entry.ts";
import { Queue } from "./queue.ts";

/** An event as it is published: the entry, and the state of the task after it. */
export interface Published extends Entry {
  readonly state: TaskState;
}

export interface Subscription extends AsyncIterableIterator<Published> {
  /** Ends the iteration from outside; the reader sees the error after what it has not read yet is dropped. */
  fail(error: A2AError): void;
  /** Ends the iteration quietly. Must be called by whoever subscribed. */
  close(): void;
}

/** How much one subscriber may lag behind before it is ended. */
export interface BufferLimits {
  readonly events: number;
  readonly characters: number;
}

export class EventHub {
  readonly #subscribers = new ChurningMap<Set<Reader>>();
  readonly #limits: BufferLimits;
  #closed: A2AError | undefined;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  /** Follows a task from this moment on. The caller closes the subscription, whichever way it ends. */
  subscribe(taskId: string): Subscription {
    const readers = this.#subscribers.get(taskId) ?? new Set();
    this.#subscribers.set(taskId, readers);
    const reader = new Reader(this.#limits, () => {
      readers.delete(reader);
      if (readers.size === 0 && this.#subscribers.get(taskId) === readers) {
        this.#subscribers.delete(taskId);
      }
    });
    readers.add(reader);
    if (this.#closed) reader.fail(this.#closed);
    return reader;
  }

  publish(taskId: string, event: Published): void {
    const readers = this.#subscribers.get(taskId);
    if (readers) for (const reader of readers) reader.push(event);
  }

  /** Ends every stream of a task with an error, for instance when its events can no longer be stored. */
  fail(taskId: string, error: A2AError): void {
    for (const reader of this.#subscribers.get(taskId) ?? []) reader.fail(error);
  }

  /** Ends every stream, now and later, with that error. */
  close(error: A2AError): void {
    this.#closed = error;
    for (const readers of this.#subscribers.values())
      for (const reader of readers) reader.fail(error);
  }

  /** How many subscriptions are open. */
  get size(): number {
    let size = 0;
    for (const readers of this.#subscribers.values()) size += readers.size;
    return size;
  }
}

type Result = IteratorResult<Published, undefined>;
const DONE: Result = { done: true, value: undefined };

interface Waiting {
  resolve(result: Result): void;
  reject(error: Error): void;
}

class Reader implements Subscription {
  readonly #limits: BufferLimits;
  readonly #leave: () => void;
  readonly #buffer = new Queue<Published>();
  #characters = 0;
  #waiting: Waiting | undefined;
  #error: A2AError | undefined;
  #ended = false;

  constructor(limits: BufferLimits, leave: () => void) {
    this.#limits = limits;
    this.#leave = leave;
  }

  push(event: Published): void {
    if (this.#ended) return;
    const waiting = this.#takeWaiting();
    if (waiting) return waiting.resolve({ done: false, value: event });
    this.#buffer.push(event);
    this.#characters += event.text.length;
    if (this.#buffer.length > this.#limits.events || this.#characters > this.#limits.characters) {
      this.fail(new A2AError("UNAVAILABLE", "the reader is too slow for this stream: resubscribe"));
    }
  }

  fail(error: A2AError): void {
    if (this.#ended) return;
    this.#end();
    const waiting = this.#takeWaiting();
    if (waiting) waiting.reject(error);
    else this.#error = error;
  }

  close(): void {
    if (!this.#ended) this.#end();
    this.#takeWaiting()?.resolve(DONE);
  }

  next(): Promise<Result> {
    const event = this.#buffer.shift();
    if (event) {
      this.#characters -= event.text.length;
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<Result> {
    this.close();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #takeWaiting(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #end(): void {
    this.#ended = true;
    this.#buffer.clear();
    this.#leave();
  }
}
