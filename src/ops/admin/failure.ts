/** Whatever was thrown, as the one shape of error that the Admin API has. */
import { AgentControlError } from "../../core/ports/agent-control.ts";
import type { Log } from "../../core/ports/log.ts";
import { A2AError, ERRORS, type ErrorReason } from "../../protocol/errors.ts";
import { list, named, object, text } from "./schema.ts";

/** What is told of a failure beside the errors of A2A, with its HTTP status. */
const ADMIN_ERRORS = { NOT_FOUND: 404, CONFLICT: 409, GONE: 410 } as const;

type AdminReason = keyof typeof ADMIN_ERRORS;

export class AdminError extends Error {
  readonly reason: AdminReason;

  /** @param message lower case: what went wrong, and with which thing; shown to the caller as it is. */
  constructor(reason: AdminReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A parameter or a member that is wrong, by its name or path. */
export interface Problem {
  readonly path: string;
  readonly what: string;
}

/** INVALID_PARAMS that names everything that is wrong. */
export function invalid(problems: readonly Problem[]): A2AError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const message = first ? `${first.path} ${first.what}${more}` : "invalid parameters";
  const violations = problems.map(({ path, what }) => ({ field: path, description: what }));
  return new A2AError("INVALID_PARAMS", message, { violations });
}

export const FAILURE = named(
  "Failure",
  object({
    error: object(
      {
        code: text("what kind of failure it is, such as NOT_FOUND"),
        message: text("what went wrong, and with which thing"),
      },
      {
        problems: list(
          object({
            path: text("the parameter, or the place in the body or the configuration"),
            what: text("what is wrong with it"),
          }),
        ),
      },
    ),
  }),
);

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: {
      readonly code: AdminReason | ErrorReason;
      readonly message: string;
      readonly problems?: readonly Problem[];
    };
  };
}

/** The answer to whatever was thrown; the cause of an internal error goes to the log, once, with the fields. */
export function failureOf(thrown: unknown, log: Log, fields: object): Failure {
  if (thrown instanceof AdminError)
    return failure(ADMIN_ERRORS[thrown.reason], thrown.reason, thrown.message);
  if (AgentControlError.is(thrown)) return controlFailure(thrown);
  const error = A2AError.from(thrown);
  if (error.reason === "INTERNAL_ERROR" && !error.reported)
    log.error({ ...fields, err: error.cause ?? error }, "admin request failed");
  const problems = error.violations.map(({ field, description }) => ({
    path: field,
    what: description,
  }));
  const { status, headers, body } = failure(
    ERRORS[error.reason].http,
    error.reason,
    error.message,
    problems,
  );
  return { status, headers: { ...headers, ...headersOf(error) }, body };
}

/** The code of the answer to whatever was thrown. */
export function reasonOf(thrown: unknown): AdminReason | ErrorReason {
  if (thrown instanceof AdminError) return thrown.reason;
  return AgentControlError.is(thrown) ? CONTROL_REASONS[thrown.kind] : A2AError.from(thrown).reason;
}

const CONTROL_REASONS = {
  unknown: "NOT_FOUND",
  invalid: "INVALID_PARAMS",
  conflict: "CONFLICT",
} as const;

function controlFailure({ kind, message, problems }: AgentControlError): Failure {
  const code = CONTROL_REASONS[kind];
  const status = code === "INVALID_PARAMS" ? ERRORS[code].http : ADMIN_ERRORS[code];
  return failure(status, code, message, problems);
}

function failure(
  status: number,
  code: AdminReason | ErrorReason,
  message: string,
  problems: readonly Problem[] = [],
): Failure {
  const error = { code, message, ...(problems.length > 0 && { problems }) };
  return { status, headers: {}, body: { error } };
}

function headersOf(error: A2AError): Readonly<Record<string, string>> {
  const { reason, metadata, retryAfter, challenges } = error;
  return {
    ...(reason === "UNAUTHENTICATED" && {
      "www-authenticate": challenges.join(", ") || 'Bearer realm="a2a-gateway"',
    }),
    ...(reason === "METHOD_NOT_ALLOWED" && metadata["allow"] && { allow: metadata["allow"] }),
    ...(retryAfter !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) }),
  };
}
