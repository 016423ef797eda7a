/**
 * Failures of gRPC calls that the agent did not report itself. A status that grpc-js made is told from the agent's by its
 * text alone: the library says it in no other way.
 */
import type { ErrorReason } from "../../../protocol/errors.ts";
import { PeerFailure, type Phase } from "./peer-failure.ts";

/** Undefined for a status that is the agent's. */
export function localFailure(details: string, cause: unknown): PeerFailure | undefined {
  const found = LOCAL.find(([beginning]) => details.startsWith(beginning));
  if (found === undefined) return undefined;
  const [, { reason, message, phase, retryable = false }] = found;
  return new PeerFailure(reason, message, { phase, retryable, cause });
}

interface LocalFailure {
  readonly reason: ErrorReason;
  readonly message: string;
  readonly phase: Phase;
  readonly retryable?: true;
}

const UNREACHABLE: LocalFailure = {
  reason: "UNAVAILABLE",
  message: "the agent cannot be reached",
  phase: "connect",
  retryable: true,
};
const NOT_FOUND: LocalFailure = {
  ...UNREACHABLE,
  message: "the agent's address cannot be found",
};
const CUT: LocalFailure = {
  reason: "UNAVAILABLE",
  message: "the agent cut the connection",
  phase: "answer",
};
const REFUSED: LocalFailure = {
  reason: "UNAVAILABLE",
  message: "the agent takes no further calls on the connection",
  phase: "request",
  retryable: true,
};
const CUT_SHORT: LocalFailure = {
  reason: "UNAVAILABLE",
  message: "the agent ended the call without a status",
  phase: "answer",
};
const LATE: LocalFailure = {
  reason: "DEADLINE_EXCEEDED",
  message: "the agent did not answer in time",
  phase: "answer",
};

const LOCAL: readonly (readonly [beginning: string, failure: LocalFailure])[] = [
  ["No connection established", UNREACHABLE],
  ["Name resolution failed", NOT_FOUND],
  ["Failed to parse DNS address", NOT_FOUND],
  ["Failed to start HTTP/2 stream", UNREACHABLE],
  ["Channel closed before call started", UNREACHABLE],
  ["Subchannel not ready", UNREACHABLE],
  ["Stream refused by server", REFUSED],
  ["Connection dropped", CUT],
  ["Write error", CUT],
  ["Write failed", CUT],
  ["read ECONNRESET", CUT],
  ["Call cancelled", CUT],
  ["Bandwidth exhausted", CUT],
  ["Received RST_STREAM with code 0", CUT_SHORT],
  ["Received RST_STREAM", CUT],
  ["No status information received", CUT_SHORT],
  ["Deadline exceeded after", LATE],
];
