/** One binding of one remote agent. */
import type { AgentInterface } from "../../protocol/agent-card.ts";
import type { CallName } from "./operations.ts";
import type { ClientTls } from "./tls.ts";

export interface Door {
  /** The answer as JSON in its 1.0 shape; throws a RemoteError. */
  call(operation: CallName, request: object): Promise<unknown>;
  /** The events of a stream, each as JSON; throws a RemoteError, also in the middle. */
  stream(operation: CallName, request: object, options: StreamOptions): AsyncIterable<unknown>;
  close(): void;
}

export interface StreamOptions {
  /** Resumes after this generation instead of starting with the task as it is. */
  readonly resumeAfter?: string;
}

export interface CallOptions extends StreamOptions {
  readonly timeoutMs?: number | undefined;
}

export interface DoorInput {
  readonly interface: AgentInterface;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long a call may take that is no stream; absent: without limit. */
  readonly timeoutMs?: number | undefined;
  /** Whether the agent's card came over TLS, so that a gRPC address without a scheme is taken for one with TLS. */
  readonly isSecure: boolean;
  readonly tls?: ClientTls | undefined;
}

export const PROTOCOL_VERSION = "1.0";

/** The tenant of the card's interface goes with every request (spec 8.3.1). */
export function withTenant(request: object, { interface: { tenant } }: DoorInput): object {
  return tenant === undefined || tenant === "" ? request : { tenant, ...request };
}
