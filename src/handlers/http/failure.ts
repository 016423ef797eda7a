/** Why an HTTP turn failed, in words for the caller: no addresses, which may be internal. */
import { durationText } from "../time-limit.ts";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the agent's endpoint cannot be reached",
  EHOSTUNREACH: "the agent's endpoint cannot be reached",
  ENETUNREACH: "the agent's endpoint cannot be reached",
  ENOTFOUND: "the agent's endpoint cannot be found",
  EAI_AGAIN: "the agent's endpoint cannot be found",
  ECONNRESET: "the agent's endpoint cut the connection",
  EPIPE: "the agent's endpoint cut the connection",
  LATE_CONNECTION: "the agent's endpoint did not accept a connection in time",
  LATE_HEAD: "the agent's endpoint did not begin to answer in time",
  LATE_BODY: "the agent's endpoint stopped in the middle of its answer",
};

const CANNOT_BE_USED = "the agent's endpoint cannot be used";

/**
 * Node, the system, TLS and step-watch.ts name their errors by codes. Undefined for what has none: that is a fault of
 * ours and says nothing about the endpoint.
 */
export function reasonOf(thrown: unknown): string | undefined {
  let reason: string | undefined;
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = codeOf(error);
    if (code === undefined) continue;
    if (REASONS[code] !== undefined) return REASONS[code];
    reason = CANNOT_BE_USED;
  }
  return reason;
}

/** Node gives codes to wrong arguments too, which are TypeErrors and RangeErrors. */
function codeOf(error: Error): string | undefined {
  if (error instanceof TypeError || error instanceof RangeError) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function lateReason(timeout: number): string {
  return `the agent's endpoint did not finish within ${durationText(timeout)}`;
}
