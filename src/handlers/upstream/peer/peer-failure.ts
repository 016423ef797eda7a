/** A remote agent that could not be called, or whose answer did not come through: what it answered is an A2AError. */
import { A2AError, type ErrorReason } from "../../../protocol/errors.ts";

/** Waiting for one that is free, getting a connection, sending the request until the answer begins, the answer. */
export type Phase = "queue" | "connect" | "request" | "answer";

export interface FailureDetails {
  readonly phase: Phase;
  /** Default: no. */
  readonly retryable?: boolean;
  readonly retryAfter?: number | undefined;
  readonly status?: number;
  readonly cause?: unknown;
}

const brand = Symbol.for("a2a-gateway.peer-failure");

export class PeerFailure extends Error {
  readonly [brand] = true;
  /** What it is for the caller. */
  readonly reason: ErrorReason;
  readonly phase: Phase;
  /** Whether the agent surely did nothing with the request, so that it may be sent again. */
  readonly retryable: boolean;
  /** Seconds after which the agent wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** The HTTP status with which the agent refused (on gRPC: the one that means the same): 401 asks for other credentials. */
  readonly status: number | undefined;

  /** @param message names no address and no secret: callers may read it. */
  constructor(reason: ErrorReason, message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "PeerFailure";
    this.reason = reason;
    this.phase = details.phase;
    this.retryable = details.retryable ?? false;
    this.retryAfter = details.retryAfter;
    this.status = details.status;
  }

  static is(thrown: unknown): thrown is PeerFailure {
    return typeof thrown === "object" && thrown !== null && brand in thrown;
  }
}

/** Seconds after which a call makes sense that the agent surely has not seen. */
const AGAIN = 1;

/** The failure as callers are told. */
export function errorOf(failure: PeerFailure): A2AError {
  const { reason, message, retryable } = failure;
  const isWorthIt = retryable && reason === "UNAVAILABLE";
  const retryAfter = failure.retryAfter ?? (isWorthIt ? AGAIN : undefined);
  return new A2AError(reason, message, {
    cause: failure,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
