/** One run of a program, in a process group of its own, so that whatever it starts ends with it. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { killAtExit } from "./exit-guard.ts";
import { Tail } from "./tail.ts";

/** How often to look whether what a program left behind has gone. */
const POLL_MS = 20;

export interface ProgramOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** All of its stdin. */
  readonly input: string;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killGrace: number;
}

export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "not-started"; readonly code: string };

export class Program {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #killGrace: number;
  readonly #stderr: Tail;
  #killTimer: NodeJS.Timeout | undefined;
  #isGone = false;
  /** Whether somebody waits for more output: only then nothing is lost when there comes none. */
  #isAwaited = false;
  #isAbandoned = false;
  #hasExited = false;

  /** Resolves when the program has ended and its output has been read or dropped. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Resolves when also nothing of what it started is left in its group. Never rejects. */
  readonly gone: Promise<void>;

  /** Throws what spawn throws for arguments that no program can be given. */
  constructor({ file, args, cwd, env, input, killGrace }: ProgramOptions) {
    this.#killGrace = killGrace;
    this.#child = spawn(file, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#stderr = new Tail(this.#child.stderr);
    // Output that nobody listens to is thrown away by Node when the program exits.
    this.#child.stdout.on("readable", ignore).on("error", ignore);
    this.ended = this.#end();
    this.gone = this.#leave();
    // A program need not read its input: what it leaves unread is not an error.
    this.#child.stdin.on("error", ignore);
    this.#child.stdin.end(input);
  }

  /** Its stdout, for one reader. */
  async *output(): AsyncGenerator<Uint8Array> {
    const { stdout } = this.#child;
    try {
      this.#isAwaited = true;
      for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
        this.#isAwaited = false;
        yield chunk;
        this.#isAwaited = true;
      }
    } catch (thrown) {
      // Closed by #closeOutput, or never opened.
      if (!stdout.destroyed) throw thrown;
    }
  }

  /** Whether `output` came to its end. */
  hasSaidAll(): boolean {
    return this.#child.stdout.readableEnded;
  }

  /** The last of its stderr. */
  complaint(): string {
    return this.#stderr.text();
  }

  /** SIGTERM now, SIGKILL after the grace period, to the whole group. */
  stop(): void {
    if (this.#isGone || this.#killTimer !== undefined || !this.#signal("SIGTERM")) return;
    this.#killTimer = setTimeout(() => this.#signal("SIGKILL"), this.#killGrace);
  }

  /** Stops it when it still runs, drops the output that nobody read, and waits for its end. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.stop();
    if (this.#hasExited) this.#closeOutput();
    // Until then it may write, so that it is not held up in putting its things in order.
    else this.#child.stdout.off("readable", ignore).on("data", ignore).resume();
    await this.ended;
  }

  async #end(): Promise<Ending> {
    const closed = once(this.#child, "close").catch(ignore);
    try {
      const [code, signal] = await once(this.#child, "exit");
      this.#hasExited = true;
      this.stop();
      if (this.#isAbandoned) this.#closeOutput();
      await this.#drained(closed);
      return code === null ? { kind: "killed", signal } : { kind: "exited", code };
    } catch (thrown) {
      return { kind: "not-started", code: codeOf(thrown) };
    }
  }

  /**
   * A process that left the group may hold the pipes for ever. They are closed when somebody waits for more, for a
   * whole interval, and nothing comes.
   */
  async #drained(closed: Promise<unknown>): Promise<void> {
    let wasAwaited = false;
    const timer = setInterval(() => {
      if (wasAwaited && this.#isAwaited) this.#closeOutput();
      wasAwaited = this.#isAwaited;
    }, this.#killGrace + 250);
    await closed;
    clearInterval(timer);
  }

  #closeOutput(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  async #leave(): Promise<void> {
    const { pid } = this.#child;
    const leaveToItself = pid === undefined ? undefined : killAtExit(pid);
    await this.ended;
    // What nobody reaps still counts as a member: after SIGKILL there is nothing to wait for.
    const deadline = performance.now() + this.#killGrace;
    let left = this.#signal(0);
    while (left && performance.now() < deadline) {
      await pause(POLL_MS);
      left = this.#signal(0);
    }
    if (left) this.#signal("SIGKILL");
    this.#isGone = true;
    leaveToItself?.();
    clearTimeout(this.#killTimer);
  }

  /** False when the group has no members. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}

function ignore(): void {}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
}
