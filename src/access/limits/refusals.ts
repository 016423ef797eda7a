/** The one place that refuses what goes past a limit: what the caller is told, and what the log is. */
import { LRUCache } from "lru-cache";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Subject } from "./subjects.ts";

export interface Refused {
  readonly subject: Subject;
  /** What there was too much of. */
  readonly what: "rate" | "streams";
  /** When another call may succeed, in milliseconds from now. */
  readonly retryMs: number;
}

/** Nobody is in the log more often than this for one limit, in milliseconds. */
const LOG_EVERY = 10_000;
/** With more, the log may name somebody again earlier. */
const MAX_LOGGED = 10_000;

export class Refusals {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #logged = new LRUCache<string, { readonly at: number; refused: number }>({
    max: MAX_LOGGED,
  });

  /** @param now milliseconds */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** RATE_LIMITED, to be thrown. Its metadata says which limit it was, by its setting below `limits.calls`. */
  refusal({ subject, what, retryMs }: Refused): A2AError {
    const limit = `${subject.kind}.${what}`;
    this.#tell(`${limit} ${subject.key}`, { limit, ...subject.who });
    return new A2AError("RATE_LIMITED", messageOf(subject, what), {
      metadata: { limit },
      retryAfter: retryMs / 1000,
      reported: true,
    });
  }

  /** A line says how many there were since the one before it. */
  #tell(key: string, fields: object): void {
    const at = this.#now();
    const last = this.#logged.get(key);
    if (last !== undefined && Math.abs(at - last.at) < LOG_EVERY) {
      last.refused++;
      return;
    }
    this.#log.info({ ...fields, refused: (last?.refused ?? 0) + 1 }, "past a limit");
    this.#logged.set(key, { at, refused: 0 });
  }
}

function messageOf({ kind, key }: Subject, what: Refused["what"]): string {
  const calls = kind === "address" ? "requests" : "calls";
  const many = `too many ${what === "rate" ? calls : "open streams"}`;
  switch (kind) {
    case "address":
      return `${many} from this address`;
    case "principal":
      return `${many} by this caller`;
    case "agent":
      return `${many} of agent ${key}`;
  }
}
