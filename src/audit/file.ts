/** A file that lines are appended to, collected and written a batch at a time, and kept while they cannot be. */
import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";

const BATCH_CHARACTERS = 16_384;
const WRITE_EVERY_MS = 100;
const RETRY_EVERY_MS = 1_000;
/** What is kept while nothing can be written. Later lines are lost, and counted. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** What the file's owner is told. */
export interface FileEvents {
  /** Once, until it can be written again. */
  failed(cause: unknown): void;
  /** It can be written again; so many lines were lost meanwhile. */
  recovered(lost: number): void;
}

export class AuditFile {
  readonly #path: string;
  readonly #events: FileEvents;
  #descriptor: number;
  #lines = "";
  /** What is left of a batch that the file took a part of, and how much that was. */
  #batch: Buffer = Buffer.alloc(0);
  #written = 0;
  #lost = 0;
  #hasFailed = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #atExit = (): void => this.#attempt();

  /** Throws what the system says of a file that cannot be opened, and for what is no file. */
  constructor(path: string, events: FileEvents) {
    this.#path = path;
    this.#events = events;
    this.#descriptor = openedAt(path);
    process.on("exit", this.#atExit);
  }

  /** Whether lines are held back that could not be written. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  write(line: string): void {
    if (this.#isClosed) return;
    if (this.#lines.length >= MAX_CHARACTERS) {
      this.#lost++;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= BATCH_CHARACTERS && !this.#hasFailed) this.#attempt();
    else this.#attemptSoon();
  }

  /**
   * Goes on in a new file of the same name: the old one was moved away. A line that the old one has a part of comes whole.
   * Throws what the system says, and goes on in the old one.
   */
  reopen(): void {
    if (this.#isClosed) return;
    const descriptor = openedAt(this.#path);
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    // Of what has been written the last line may have a beginning only.
    this.#written = this.#batch.subarray(0, this.#written).lastIndexOf(LINE_FEED) + 1;
    this.#attempt();
  }

  /** Writes what is held back, or loses it; nothing is written afterwards. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    process.off("exit", this.#atExit);
    this.#attempt();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    closeSync(this.#descriptor);
  }

  #attemptSoon(): void {
    const wait = this.#hasFailed ? RETRY_EVERY_MS : WRITE_EVERY_MS;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#attempt();
    }, wait).unref();
  }

  #attempt(): void {
    try {
      while (this.#written < this.#batch.length || this.#lines !== "") this.#writeSome();
    } catch (thrown) {
      if (!this.#hasFailed) this.#events.failed(thrown);
      this.#hasFailed = true;
      this.#attemptSoon();
      return;
    }
    if (!this.#hasFailed) return;
    const lost = this.#lost;
    this.#hasFailed = false;
    this.#lost = 0;
    this.#events.recovered(lost);
  }

  #writeSome(): void {
    if (this.#written >= this.#batch.length) {
      this.#batch = Buffer.from(this.#lines);
      this.#written = 0;
      this.#lines = "";
    }
    this.#written += writeSync(this.#descriptor, this.#batch, this.#written);
  }
}

const LINE_FEED = 10;

/** Nobody else may read one that is made here. A pipe without a reader must not stop the process. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NONBLOCK;

function openedAt(path: string): number {
  const descriptor = openSync(path, FLAGS, 0o600);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error("it is no file");
}
