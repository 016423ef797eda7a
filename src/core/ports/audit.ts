/** Who did what, allowed or not: written down for those who run the gateway, apart from its log. */
import type { ProtocolBinding } from "../../protocol/agent-card.ts";
import type { Asked } from "../../protocol/asked.ts";
import type { ErrorReason } from "../../protocol/errors.ts";
import type { Method } from "../../protocol/principal.ts";
import type { OperationName } from "../../protocol/service.ts";

export interface Audit {
  /** Throws UNAVAILABLE while nothing can be written down and nothing may be done for that. */
  check(): void;
  /** Never waits, and never throws: whoever is told has something else to do. */
  write(entry: AuditEntry): void;
}

/**
 * What is written down. No entry has what a message says, or anything that lets somebody in. Names that callers make up
 * come as they are: whoever writes them bounds and escapes them.
 */
export type AuditEntry = CallEntry | RefusalEntry | OperatorEntry | ProcessEntry;

/**
 * `denied`: whoever asks may not. `failed`: it came to nothing for another reason. A stream is allowed once it has begun.
 */
export type Decision = "allowed" | "denied" | "failed";

const DENIALS: ReadonlySet<string> = new Set<ErrorReason>([
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
]);

/** Whether a refusal is about whoever asks. */
export function decisionOf(reason: string): Decision {
  return DENIALS.has(reason) ? "denied" : "failed";
}

interface Decided {
  readonly decision: Decision;
  /** What the caller was told; undefined where all went well. */
  readonly reason: string | undefined;
}

/** Who asked. */
export interface Asker {
  /** Empty for nobody in particular. */
  readonly id: string;
  readonly tenant: string;
  readonly method: Method;
}

/** One of the operations of A2A, as it was decided. */
export interface CallEntry extends Decided {
  readonly kind: "call";
  readonly requestId: string;
  readonly principal: Asker;
  readonly address: string;
  readonly binding: ProtocolBinding | undefined;
  readonly version: string;
  readonly agent: string;
  readonly operation: OperationName;
  readonly task?: string | undefined;
  readonly context?: string | undefined;
  readonly message?: string | undefined;
  readonly webhook?: string | undefined;
  /** From the request to the decision, in milliseconds. */
  readonly ms: number;
  readonly reason: ErrorReason | undefined;
  /**
   * Of a task that was not found, the agent that was asked for it and the owner whose tasks its caller sees: it may be
   * there, and be somebody else's.
   */
  readonly sought?: { readonly agent: string; readonly owner: string };
}

/** Somebody was not let in, or could not be recognised. */
export interface RefusalEntry extends Decided, Asked {
  readonly kind: "authentication";
  readonly address: string;
  /** How whoever it is wanted to be recognised; undefined where nothing was brought that could be. */
  readonly method: Method | undefined;
  readonly reason: ErrorReason;
}

/** What somebody who runs the gateway changed, or wanted to. */
export interface OperatorEntry extends Decided {
  readonly kind: "operator";
  readonly requestId: string;
  /** Undefined for whoever was not let in. */
  readonly principal: Asker | undefined;
  readonly address: string;
  /** By its name in the Admin API; undefined for a request that is none of its. */
  readonly operation: string | undefined;
  readonly subject: Subject;
}

/** What a change is about. */
export interface Subject {
  readonly agent?: string | undefined;
  readonly task?: string | undefined;
  readonly webhook?: string | undefined;
  readonly generation?: number | undefined;
  readonly key?: string | undefined;
  /** Whose the key is. */
  readonly holder?: { readonly id: string; readonly tenant: string } | undefined;
}

/** What the process did by itself, or was told by a signal. */
export interface ProcessEntry extends Decided {
  readonly kind: "process";
  /** `lost`: entries are missing before this one, since they could not be written. */
  readonly operation: "start" | "stop" | "reload" | "lost";
  /** Why: the signal, what has changed; how many entries were lost. */
  readonly cause: string | undefined;
}
