/** What the failure of a call says of the task that it was about. */
import { A2AError, type ErrorReason } from "../../protocol/errors.ts";
import { PeerFailure } from "./peer/peer-failure.ts";

/** Whether a call that failed may well succeed when it is made again later. */
export function isPassing(thrown: unknown): boolean {
  if (PeerFailure.is(thrown)) return true;
  return A2AError.is(thrown) && PASSING.has(thrown.reason);
}

const PASSING: ReadonlySet<ErrorReason> = new Set([
  "UNAVAILABLE",
  "RATE_LIMITED",
  "DEADLINE_EXCEEDED",
  "INTERNAL_ERROR",
]);

/** A stream that was cut, by whomever, says nothing of its task; what goes wrong inside of the agent may be its end. */
export function isCut(thrown: unknown): boolean {
  return isPassing(thrown) && !(A2AError.is(thrown) && thrown.reason === "INTERNAL_ERROR");
}

/** Whether a failure says that the agent, or a way to it, is away. */
export function isAway(thrown: unknown): boolean {
  if (PeerFailure.is(thrown)) return true;
  return A2AError.is(thrown) && AWAY.has(thrown.reason);
}

const AWAY: ReadonlySet<ErrorReason> = new Set(["UNAVAILABLE", "DEADLINE_EXCEEDED"]);

/** Whether it was the gateway that had no connection free for the call. */
export function isBusy(thrown: unknown): boolean {
  const failure = A2AError.is(thrown) ? thrown.cause : thrown;
  return PeerFailure.is(failure) && failure.phase === "queue";
}

export function isUnknown(thrown: unknown): boolean {
  return A2AError.is(thrown) && thrown.reason === "TASK_NOT_FOUND";
}

/** The agent's own words would name the task as it does. */
export function lostOr(thrown: unknown): unknown {
  if (!isUnknown(thrown)) return thrown;
  return new A2AError("TASK_NOT_FOUND", "the agent no longer knows the task", { cause: thrown });
}
