/**
 * What one function writes and another reads as an iteration: many values at a time on one side, one by one on the
 * other, at the price of one promise each, however deep in its own calls the writer is.
 */

/** Writes until it is through. What it throws, the reader gets after what was written before. */
type Fill = () => Promise<void>;

interface Reader<T> {
  resolve(step: IteratorResult<T, undefined>): void;
  reject(thrown: unknown): void;
}

interface Writer {
  resolve(): void;
  reject(thrown: unknown): void;
}

const DONE = { done: true, value: undefined } as const;
const LEFT = new Error("nobody reads any more");

/** Filled from the first `next` on, for one reader, who asks for one value at a time. */
export class Outbox<T> implements AsyncIterableIterator<T> {
  readonly #fill: Fill;
  readonly #left: () => void;
  #values: T[] = [];
  /** Of the next value that is read. */
  #position = 0;
  #isBegun = false;
  #isOver = false;
  #failure: { readonly thrown: unknown } | undefined;
  #reader: Reader<T> | undefined;
  #writer: Writer | undefined;

  /** @param left told when the reader leaves before the end; to write throws then */
  constructor(fill: Fill, left: () => void) {
    this.#fill = fill;
    this.#left = left;
  }

  /** Writes values that nothing depends on any more: whoever writes does not wait until they are read. */
  add(values: readonly T[]): void {
    if (this.#position === this.#values.length) {
      this.#values = [];
      this.#position = 0;
    }
    for (const value of values) this.#values.push(value);
    this.#hand();
  }

  /** Writes values, and resolves once they are read and the reader asks for more; at once where there are none. */
  put(values: readonly T[]): Promise<void> {
    if (this.#isOver) return Promise.reject(LEFT);
    if (values.length === 0) return Promise.resolve();
    this.add(values);
    return new Promise((resolve, reject) => (this.#writer = { resolve, reject }));
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#position < this.#values.length) return Promise.resolve(this.#taken());
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) return Promise.reject(failure.thrown as Error);
    if (this.#isOver) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (this.#isBegun) this.#freeWriter()?.resolve();
      else this.#begin();
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#isOver && this.#isBegun) this.#left();
    this.#isOver = true;
    this.#values = [];
    this.#position = 0;
    this.#failure = undefined;
    this.#freeWriter()?.reject(LEFT);
    this.#freeReader()?.resolve(DONE);
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#fill().then(
      () => this.#end(undefined),
      (thrown: unknown) => this.#end({ thrown }),
    );
  }

  #end(failure: { readonly thrown: unknown } | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const reader = this.#freeReader();
    if (failure === undefined) reader?.resolve(DONE);
    else if (reader === undefined) this.#failure = failure;
    else reader.reject(failure.thrown);
  }

  #hand(): void {
    if (this.#reader === undefined || this.#position === this.#values.length) return;
    this.#freeReader()?.resolve(this.#taken());
  }

  #taken(): IteratorResult<T, undefined> {
    const value = this.#values[this.#position++] as T;
    return { done: false, value };
  }

  #freeReader(): Reader<T> | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }

  #freeWriter(): Writer | undefined {
    const writer = this.#writer;
    this.#writer = undefined;
    return writer;
  }
}
