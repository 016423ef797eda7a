/** Why an HTTP turn failed, in words for the caller: no addresses, which may be internal. */
import { durationText } from "../timers.ts";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the agent's endpoint cannot be reached",
  EHOSTUNREACH: "the agent's endpoint cannot be reached",
  ENETUNREACH: "the agent's endpoint cannot be reached",
  ENOTFOUND: "the agent's endpoint cannot be found",
  EAI_AGAIN: "the agent's endpoint cannot be found",
  ECONNRESET: "the agent's endpoint cut the connection",
  EPIPE: "the agent's endpoint cut the connection",
  UND_ERR_SOCKET: "the agent's endpoint cut the connection",
  UND_ERR_CONNECT_TIMEOUT: "the agent's endpoint did not accept a connection in time",
  UND_ERR_HEADERS_TIMEOUT: "the agent's endpoint did not begin to answer in time",
  UND_ERR_BODY_TIMEOUT: "the agent's endpoint stopped in the middle of its answer",
};

export function reasonOf(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const reason = "code" in error ? REASONS[String(error.code)] : undefined;
    if (reason !== undefined) return reason;
  }
  return "the agent's endpoint cannot be used";
}

export function lateReason(timeout: number): string {
  return `the agent's endpoint did not finish within ${durationText(timeout)}`;
}
