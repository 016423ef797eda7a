/** A logger that keeps its lines, and tells when one that a test waits for has come. */
import type { Logger } from "../../src/log.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class RecordedLog implements Logger {
  level: Logger["level"] = "debug";
  readonly lines: LogLine[] = [];
  #waiting: (() => void)[] = [];

  debug(fields: object, message: string): void {
    this.#add("debug", fields, message);
  }

  info(fields: object, message: string): void {
    this.#add("info", fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add("warn", fields, message);
  }

  error(fields: object, message: string): void {
    this.#add("error", fields, message);
  }

  always(fields: object, message: string): void {
    this.#add("info", fields, message);
  }

  line(text: string): void {
    this.#add("info", { line: text }, "");
  }

  flush(): void {}

  get errors(): readonly LogLine[] {
    return this.lines.filter(({ level }) => level === "error");
  }

  /** Resolves with the first so many lines that fit, once they are there. */
  async until(fits: (line: LogLine) => boolean, count = 1): Promise<readonly LogLine[]> {
    for (;;) {
      const found = this.lines.filter(fits);
      if (found.length >= count) return found.slice(0, count);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #add(level: LogLine["level"], fields: object, message: string): void {
    this.lines.push({ level, message, fields: { ...fields } });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** The line that a call leaves behind once it has ended, streams included. */
export function isCall(operation: string): (line: LogLine) => boolean {
  return ({ message, fields }) => message === "call" && fields["operation"] === operation;
}
