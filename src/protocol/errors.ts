/**
 * What a caller may be told. The nine A2A errors and their mappings are those of spec 5.4, the five of JSON-RPC those
 * of spec 9.5; the others are this gateway's (documented in docs/errors.md).
 */
export type ErrorReason =
  | "TASK_NOT_FOUND"
  | "TASK_NOT_CANCELABLE"
  | "PUSH_NOTIFICATION_NOT_SUPPORTED"
  | "UNSUPPORTED_OPERATION"
  | "CONTENT_TYPE_NOT_SUPPORTED"
  | "INVALID_AGENT_RESPONSE"
  | "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
  | "EXTENSION_SUPPORT_REQUIRED"
  | "VERSION_NOT_SUPPORTED"
  | "PARSE_ERROR"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS"
  | "INTERNAL_ERROR"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "RATE_LIMITED"
  | "UNAVAILABLE"
  | "DEADLINE_EXCEEDED"
  | "TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "METHOD_NOT_ALLOWED"
  | "CANCELLED";

/** One error on each binding. `grpc` is the numeric status code of gRPC, `status` its name. */
export interface ErrorCodes {
  readonly jsonrpc: number;
  readonly http: number;
  readonly grpc: number;
  readonly status: string;
}

export const ERRORS: Readonly<Record<ErrorReason, ErrorCodes>> = {
  TASK_NOT_FOUND: { jsonrpc: -32001, http: 404, grpc: 5, status: "NOT_FOUND" },
  TASK_NOT_CANCELABLE: { jsonrpc: -32002, http: 400, grpc: 9, status: "FAILED_PRECONDITION" },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    jsonrpc: -32003,
    http: 400,
    grpc: 9,
    status: "FAILED_PRECONDITION",
  },
  UNSUPPORTED_OPERATION: { jsonrpc: -32004, http: 400, grpc: 9, status: "FAILED_PRECONDITION" },
  CONTENT_TYPE_NOT_SUPPORTED: { jsonrpc: -32005, http: 400, grpc: 3, status: "INVALID_ARGUMENT" },
  INVALID_AGENT_RESPONSE: { jsonrpc: -32006, http: 500, grpc: 13, status: "INTERNAL" },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: {
    jsonrpc: -32007,
    http: 400,
    grpc: 9,
    status: "FAILED_PRECONDITION",
  },
  EXTENSION_SUPPORT_REQUIRED: {
    jsonrpc: -32008,
    http: 400,
    grpc: 9,
    status: "FAILED_PRECONDITION",
  },
  VERSION_NOT_SUPPORTED: { jsonrpc: -32009, http: 400, grpc: 9, status: "FAILED_PRECONDITION" },
  PARSE_ERROR: { jsonrpc: -32700, http: 400, grpc: 3, status: "INVALID_ARGUMENT" },
  INVALID_REQUEST: { jsonrpc: -32600, http: 400, grpc: 3, status: "INVALID_ARGUMENT" },
  METHOD_NOT_FOUND: { jsonrpc: -32601, http: 404, grpc: 12, status: "UNIMPLEMENTED" },
  INVALID_PARAMS: { jsonrpc: -32602, http: 400, grpc: 3, status: "INVALID_ARGUMENT" },
  INTERNAL_ERROR: { jsonrpc: -32603, http: 500, grpc: 13, status: "INTERNAL" },
  UNAUTHENTICATED: { jsonrpc: -32010, http: 401, grpc: 16, status: "UNAUTHENTICATED" },
  FORBIDDEN: { jsonrpc: -32011, http: 403, grpc: 7, status: "PERMISSION_DENIED" },
  RATE_LIMITED: { jsonrpc: -32012, http: 429, grpc: 8, status: "RESOURCE_EXHAUSTED" },
  UNAVAILABLE: { jsonrpc: -32013, http: 503, grpc: 14, status: "UNAVAILABLE" },
  DEADLINE_EXCEEDED: { jsonrpc: -32014, http: 504, grpc: 4, status: "DEADLINE_EXCEEDED" },
  TOO_LARGE: { jsonrpc: -32015, http: 413, grpc: 8, status: "RESOURCE_EXHAUSTED" },
  UNSUPPORTED_MEDIA_TYPE: { jsonrpc: -32005, http: 415, grpc: 3, status: "INVALID_ARGUMENT" },
  METHOD_NOT_ALLOWED: { jsonrpc: -32600, http: 405, grpc: 12, status: "UNIMPLEMENTED" },
  CANCELLED: { jsonrpc: -32016, http: 499, grpc: 1, status: "CANCELLED" },
};

/** A field that was wrong, by its path in the request's JSON form, such as `message.parts[0].raw`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface ErrorDetails {
  readonly violations?: readonly FieldViolation[];
  /** Facts for the caller's program: names and values that are safe to show. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Seconds after which the same call may succeed. */
  readonly retryAfter?: number;
  /** Of UNAUTHENTICATED: what would let the caller in, each a value of WWW-Authenticate (RFC 9110, 11.6.1). */
  readonly challenges?: readonly string[];
  readonly cause?: unknown;
  /** Its cause is in the log already; whoever answers with it does not log it again. */
  readonly reported?: boolean;
}

const brand = Symbol.for("a2a-gateway.error");

/**
 * An error that a caller may see. Recognised by its brand, not by instanceof: a handler or store may come with a
 * copy of this class of its own.
 */
export class A2AError extends Error {
  readonly [brand] = true;
  readonly reason: ErrorReason;
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;
  readonly challenges: readonly string[];
  readonly reported: boolean;

  /** @param message lower case: what went wrong, and with which thing; shown to the caller as it is. */
  constructor(reason: ErrorReason, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "A2AError";
    this.reason = reason;
    this.violations = details.violations ?? [];
    this.metadata = details.metadata ?? {};
    this.retryAfter = details.retryAfter;
    this.challenges = details.challenges ?? [];
    this.reported = details.reported ?? false;
  }

  /**
   * Whether something is an error of this kind, made by whichever copy of the class: `from` makes one of our own of it.
   * A copy of another release may know reasons that have no codes here: to this one they are no errors for callers.
   */
  static is(thrown: unknown): thrown is A2AError {
    if (typeof thrown !== "object" || thrown === null || !(brand in thrown)) return false;
    return "reason" in thrown && Object.hasOwn(ERRORS, String(thrown.reason));
  }

  /** Whatever was thrown, as an error for the caller: what is not an A2AError is an internal error with a hidden cause. */
  static from(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    if (A2AError.is(thrown)) return ownCopyOf(thrown);
    return new A2AError("INTERNAL_ERROR", "internal error", { cause: thrown });
  }
}

/** Of a stranger's error only the reason is known to be there; whatever else has the right form is taken over. */
function ownCopyOf(foreign: Pick<A2AError, "reason"> & Partial<A2AError>): A2AError {
  const { message, violations, metadata, retryAfter, challenges } = foreign;
  return new A2AError(
    foreign.reason,
    typeof message === "string" ? message : foreign.reason.toLowerCase().replaceAll("_", " "),
    {
      cause: foreign,
      ...(Array.isArray(violations) && { violations: violations.filter(isViolation) }),
      ...(isTexts(metadata) && { metadata }),
      ...(typeof retryAfter === "number" && { retryAfter }),
      ...(Array.isArray(challenges) && {
        challenges: challenges.filter((each) => typeof each === "string"),
      }),
    },
  );
}

function isViolation(value: unknown): value is FieldViolation {
  const { field, description } = (value ?? {}) as Partial<FieldViolation>;
  return typeof field === "string" && typeof description === "string";
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((text) => typeof text === "string");
}

/** The error for a request with wrong fields: INVALID_PARAMS, whose message names the first of them. */
export function invalidParams(violations: readonly FieldViolation[]): A2AError {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  const what =
    first === undefined ? "invalid parameters" : `${first.field}: ${first.description}${more}`;
  return new A2AError("INVALID_PARAMS", what, { violations });
}
