/** Lines for a file descriptor, collected and written a batch at a time. */
import { writeSync } from "node:fs";

const BATCH_CHARACTERS = 4096;
const WRITE_EVERY_MS = 100;
/** What is kept for a reader that does not read for a while. Later lines are lost. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** At the end, such a reader gets a second. */
const LAST_ATTEMPTS = 100;
const LAST_PAUSE_MS = 10;

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/** Lines that cannot be written, because the reader is gone or the disk is full, are lost and hold nobody up. */
export class LogOutput {
  readonly #target: number;
  #lines = "";
  /** What is left of a batch that the target took a part of. */
  #rest: Uint8Array = Buffer.alloc(0);
  #isWaiting = false;
  #isFlushedAtExit = false;

  constructor(target: number) {
    this.#target = target;
  }

  write(line: string): void {
    if (this.#lines.length >= MAX_CHARACTERS) return;
    this.#lines += line;
    this.#flushAtExit();
    const isDue = this.#lines.length >= BATCH_CHARACTERS && this.#rest.length === 0;
    if (!isDue || !this.#attempt()) this.#attemptSoon();
  }

  /** Writes what is held back; returns when it is written or lost, or the target took nothing for a second. */
  flush(): void {
    for (let attempts = LAST_ATTEMPTS; !this.#attempt() && attempts > 0; attempts--)
      Atomics.wait(NEVER_WOKEN, 0, 0, LAST_PAUSE_MS);
  }

  #flushAtExit(): void {
    if (this.#isFlushedAtExit) return;
    this.#isFlushedAtExit = true;
    process.once("exit", () => this.flush());
  }

  #attemptSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      if (!this.#attempt()) this.#attemptSoon();
    }, WRITE_EVERY_MS).unref();
  }

  /** False when the target takes no more for now. */
  #attempt(): boolean {
    try {
      while (this.#rest.length > 0 || this.#lines !== "") this.#writeSome();
    } catch (thrown) {
      if (isBusy(thrown)) return false;
      this.#rest = this.#rest.subarray(this.#rest.length);
      this.#lines = "";
    }
    return true;
  }

  #writeSome(): void {
    if (this.#rest.length === 0) {
      this.#rest = Buffer.from(this.#lines);
      this.#lines = "";
    }
    this.#rest = this.#rest.subarray(writeSync(this.#target, this.#rest));
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN";
}
