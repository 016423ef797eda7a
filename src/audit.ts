/** The audit, put together: its settings, where it is written to, and whose the tasks are that somebody did not find. */
import { resolve } from "node:path";
import { operationsOf } from "./access/policy/operations.ts";
import { AuditFile } from "./audit/file.ts";
import { decisionIn, lineOf, type BelongsTo } from "./audit/line.ts";
import type { AuditConfig } from "./config/audit.ts";
import { unopenable } from "./config/audit-file.ts";
import type { Config } from "./config/config.ts";
import type { Audit, AuditEntry, CallEntry } from "./core/ports/audit.ts";
import type { TaskArchive } from "./core/ports/task-search.ts";
import { LogOutput } from "./log-output.ts";
import type { Logger } from "./log.ts";
import { A2AError } from "./protocol/errors.ts";
import type { OperationName } from "./protocol/service.ts";

export interface AuditParts {
  readonly config: Config;
  readonly archive: Pick<TaskArchive, "whose">;
  readonly log: Logger;
  now(): number;
}

export interface OpenAudit extends Audit {
  /** The operations that have entries. */
  readonly operations: ReadonlySet<OperationName>;
  /** Goes on in a new file of the same name. What is wrong with that goes to the log. */
  reopen(): void;
  /** Writes what is held back. */
  close(): Promise<void>;
}

/** Undefined where nothing is to be written down. Throws a ConfigError for a file that cannot be opened. */
export function openAudit(parts: AuditParts): OpenAudit | undefined {
  const { audit: settings } = parts.config;
  return settings && new WrittenAudit(settings, parts);
}

/** Where lines go. */
interface Output {
  readonly hasFailed: boolean;
  write(line: string): void;
  reopen(): void;
  close(): void;
}

/** So many tasks are looked up at a time; of one more it is not said that it is somebody else's. */
const MAX_LOOKUPS = 1_000;

class WrittenAudit implements OpenAudit {
  readonly operations: ReadonlySet<OperationName>;
  readonly #settings: AuditConfig;
  readonly #parts: AuditParts;
  readonly #output: Output;
  readonly #lookups = new Set<Promise<void>>();

  constructor(settings: AuditConfig, parts: AuditParts) {
    this.operations = operationsOf(settings.operations);
    this.#settings = settings;
    this.#parts = parts;
    const lost = (count: number): void => {
      if (count === 0) return;
      const what = { kind: "process", operation: "lost", decision: "failed" } as const;
      this.write({ ...what, cause: `${count} entries`, reason: undefined });
    };
    this.#output = openOutput(parts, settings, lost);
  }

  check(): void {
    if (this.#settings.onFailure === "continue" || !this.#output.hasFailed) return;
    const text = "calls cannot be written down at the moment";
    throw new A2AError("UNAVAILABLE", text, { retryAfter: 1 });
  }

  write(entry: AuditEntry): void {
    if (entry.kind !== "call") return this.#put(entry);
    const { sought, task } = entry;
    if (sought === undefined || task === undefined || this.#lookups.size >= MAX_LOOKUPS)
      return this.#putCall(entry, undefined);
    const lookup = this.#belonging(task, sought).then((found) => {
      this.#putCall(entry, found);
      this.#lookups.delete(lookup);
    });
    this.#lookups.add(lookup);
  }

  reopen(): void {
    try {
      this.#output.reopen();
    } catch (err) {
      this.#parts.log.error({ err }, "the audit file cannot be opened again; the old one is used");
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#lookups);
    this.#output.close();
  }

  /** Whose a task is that its caller does not see; undefined for one that is not there, or is seen well. */
  async #belonging(
    task: string,
    sought: NonNullable<CallEntry["sought"]>,
  ): Promise<BelongsTo | undefined> {
    const found = await this.#parts.archive.whose(task).catch((err: unknown) => {
      this.#parts.log.error({ err }, "it cannot be told whose a task is");
      return undefined;
    });
    const isSeen = found?.agent === sought.agent && found.owner === sought.owner;
    return isSeen ? undefined : found;
  }

  #putCall(entry: CallEntry, belongsTo: BelongsTo | undefined): void {
    const decision = decisionIn(entry, belongsTo);
    if (this.#settings.decisions.includes(decision)) this.#put(entry, belongsTo);
  }

  #put(entry: AuditEntry, belongsTo?: BelongsTo): void {
    this.#output.write(lineOf(entry, this.#parts.now(), belongsTo));
  }
}

function openOutput(
  { config, log }: AuditParts,
  { file }: AuditConfig,
  lost: (count: number) => void,
): Output {
  if (file === "stdout") return streamOutput((line) => log.line(line));
  if (file === "stderr") {
    const stderr = new LogOutput(process.stderr.fd);
    return { ...streamOutput((line) => stderr.write(line)), close: () => stderr.flush() };
  }
  try {
    return new AuditFile(resolve(config.baseDir, file), {
      failed: (err) => log.error({ err }, "the audit cannot be written"),
      recovered(count) {
        log.warn({ lost: count }, "the audit can be written again");
        lost(count);
      },
    });
  } catch (cause) {
    throw unopenable(config, cause);
  }
}

/** What becomes of lines on a stream is not known. */
function streamOutput(write: (line: string) => void): Output {
  return { hasFailed: false, write, reopen: () => undefined, close: () => undefined };
}
