/** Answers by which the agent, or what stands before it, says that it did not take the call. */
import type { ErrorReason } from "../../../protocol/errors.ts";
import { PeerFailure } from "./peer-failure.ts";

const REFUSES_US = "the agent refuses the gateway";
const NOT_AVAILABLE = "the agent is not available";

/** By HTTP status. Who the gateway is to the agent is no concern of its callers: 401 is no UNAUTHENTICATED for them. */
const FAILURES: Readonly<Record<number, readonly [reason: ErrorReason, message: string]>> = {
  401: ["UNAVAILABLE", REFUSES_US],
  403: ["UNAVAILABLE", REFUSES_US],
  407: ["UNAVAILABLE", REFUSES_US],
  413: ["TOO_LARGE", "the agent takes no message of that size"],
  429: ["RATE_LIMITED", "the agent takes no more requests for now"],
  502: ["UNAVAILABLE", NOT_AVAILABLE],
  503: ["UNAVAILABLE", NOT_AVAILABLE],
  504: ["DEADLINE_EXCEEDED", "the agent did not answer in time"],
};

export interface StatusDetails {
  readonly status: number;
  /** The status in the words of its binding. */
  readonly said: string;
  readonly retryAfter?: number | undefined;
  /** The error that came with it. */
  readonly cause: unknown;
}

/**
 * Undefined for a status with which an agent answers a call that it took.
 * @param isBare no error of the agent's came with it: any 5xx is then that of a gateway or of a server that failed
 */
export function statusFailure(
  { status, said, retryAfter, cause }: StatusDetails,
  isBare: boolean,
): PeerFailure | undefined {
  const words = FAILURES[status] ?? (isBare && status >= 500 ? FAILURES[502] : undefined);
  if (words === undefined) return undefined;
  const [reason, message] = words;
  return new PeerFailure(reason, `${message} (${said})`, {
    phase: "answer",
    retryable: status === 429 || (status === 503 && retryAfter !== undefined),
    retryAfter,
    status,
    cause,
  });
}
