/** What a status alone says, where the agent says no more. */
import type { ErrorReason } from "../protocol/errors.ts";

/** Servers of 0.3 use statuses that 1.0 has changed; the two do not collide. */
export const HTTP_REASONS: Readonly<Record<number, ErrorReason>> = {
  400: "INVALID_PARAMS",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "TASK_NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  408: "DEADLINE_EXCEEDED",
  409: "TASK_NOT_CANCELABLE",
  413: "TOO_LARGE",
  415: "CONTENT_TYPE_NOT_SUPPORTED",
  422: "INVALID_PARAMS",
  429: "RATE_LIMITED",
  501: "UNSUPPORTED_OPERATION",
  504: "DEADLINE_EXCEEDED",
};

export const GRPC_REASONS: Readonly<Record<number, ErrorReason>> = {
  1: "CANCELLED",
  3: "INVALID_PARAMS",
  4: "DEADLINE_EXCEEDED",
  5: "TASK_NOT_FOUND",
  7: "FORBIDDEN",
  8: "RATE_LIMITED",
  9: "UNSUPPORTED_OPERATION",
  12: "UNSUPPORTED_OPERATION",
  13: "INTERNAL_ERROR",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED",
};

/** The names of the codes of gRPC, by number. */
export const GRPC_STATUSES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;
