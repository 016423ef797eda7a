/** Why an HTTP connection to an agent failed, in words for callers: no addresses, which may be internal. */
import { A2AError, type ErrorReason } from "../../../protocol/errors.ts";
import { PeerFailure, type Phase } from "./peer-failure.ts";

type Words = readonly [reason: ErrorReason, message: string];

const UNREACHABLE: Words = ["UNAVAILABLE", "the agent cannot be reached"];
const NOT_FOUND: Words = ["UNAVAILABLE", "the agent's address cannot be found"];
const CUT: Words = ["UNAVAILABLE", "the agent cut the connection"];
const NO_HTTP: Words = ["INVALID_AGENT_RESPONSE", "the agent's answer is no HTTP"];

const WORDS: Readonly<Record<string, Words>> = {
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENOTFOUND: NOT_FOUND,
  EAI_AGAIN: NOT_FOUND,
  ECONNRESET: CUT,
  EPIPE: CUT,
  LATE_CONNECTION: ["UNAVAILABLE", "the agent did not accept a connection in time"],
  LATE_HEAD: ["DEADLINE_EXCEEDED", "the agent did not begin to answer in time"],
  LATE_BODY: ["DEADLINE_EXCEEDED", "the agent stopped in the middle of its answer"],
  HPE_HEADER_OVERFLOW: ["INVALID_AGENT_RESPONSE", "the head of the agent's answer is too long"],
};

const NO_SECURE_CONNECTION: Words = ["UNAVAILABLE", "no secure connection to the agent"];
const CANNOT_BE_USED: Words = ["UNAVAILABLE", "the connection to the agent failed"];

/** @param isSent whether the whole request has been handed to the system: until then no agent can act on it. */
export function connectionFailure(thrown: unknown, phase: Phase, isSent: boolean): unknown {
  if (A2AError.is(thrown) || PeerFailure.is(thrown)) return thrown;
  const code = codeOf(thrown);
  if (code === undefined) return thrown;
  const [reason, message] = wordsOf(code, phase);
  // TLS takes a request before there is a connection for it.
  const retryable = phase === "connect" || !isSent;
  return new PeerFailure(reason, message, { phase, retryable, cause: thrown });
}

function wordsOf(code: string, phase: Phase): Words {
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (code.startsWith("HPE_")) return NO_HTTP;
  return phase === "connect" ? NO_SECURE_CONNECTION : CANNOT_BE_USED;
}

/** Node gives codes to wrong arguments too, which are TypeErrors and RangeErrors: faults of ours. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || thrown instanceof TypeError || thrown instanceof RangeError)
    return undefined;
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}
