/**
 * What agents say went wrong, on the bindings of either version: agents mix the forms of both, so all are read
 * everywhere. The reason is taken from the most telling thing that is there.
 */
import type { A2AError, ErrorReason } from "../protocol/errors.ts";
import { agentError, reasonOfCode, reasonOfName, reasonOfWords } from "./client-reasons.ts";
import { detailsIn, NO_DETAILS, type SaidDetails } from "./client-error-details.ts";
import { saidIn, type Said } from "./client-error-bodies.ts";
import { GRPC_REASONS, GRPC_STATUSES, HTTP_REASONS } from "./client-statuses.ts";
import { isObject } from "./schema/objects.ts";
import { decodeStatus } from "./status.ts";

/** The `error` of a JSON-RPC answer. */
export function rpcErrorOf(error: unknown): A2AError {
  const { code, message, details } = saidIn({ error });
  return agentError({
    reason: details.reason ?? reasonOfCode(code) ?? reasonOfWords(message),
    what: code === undefined ? "an error" : `error ${code}`,
    message,
    details,
  });
}

/** The answer of HTTP with an error's status; `body` is undefined where it was no JSON. */
export function restErrorOf(status: number, body: unknown): A2AError {
  const said = saidIn(body);
  return agentError({
    reason:
      said.details.reason ?? DECISIVE[status] ?? reasonIn(said) ?? reasonOfStatus(status, said),
    what: `HTTP status ${status}`,
    message: said.message,
    details: said.details,
  });
}

/** These come from what stands before the operations, whatever the body makes of it. */
const DECISIVE: Readonly<Record<number, ErrorReason>> = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  429: "RATE_LIMITED",
};

/** The error in an event of HTTP+JSON; undefined for an event that is none. */
export function restErrorIn(data: unknown, name: string | undefined): A2AError | undefined {
  if (name !== "error" && !isErrorBody(data)) return undefined;
  const said = saidIn(data);
  const { code } = said;
  return agentError({
    reason: reasonIn(said) ?? (code === undefined ? undefined : reasonOfStatus(code, said)),
    what: code === undefined ? "an error" : `error ${code}`,
    message: said.message,
    details: said.details,
  });
}

/** `details` are the bytes of `grpc-status-details-bin`. Before the message, 0.3 has the name of the error. */
export function grpcErrorOf(
  code: number,
  message: string,
  details: Uint8Array | undefined,
): A2AError {
  const [, name, rest] = /^([A-Z]\w+Error): ?(.*)$/s.exec(message) ?? [];
  const named = reasonOfName(name);
  const text = named === undefined ? message : rest;
  const said = detailsInStatus(details);
  return agentError({
    reason: said.reason ?? named ?? reasonOfWords(text) ?? reasonOfGrpcCode(code, message),
    what: `gRPC status ${GRPC_STATUSES[code] ?? code}`,
    message: text,
    details: said,
  });
}

/** The libraries of gRPC refuse messages that are too long with the code of rate limits. */
function reasonOfGrpcCode(code: number, message: string): ErrorReason | undefined {
  return code === 8 && /larger than max/i.test(message) ? "TOO_LARGE" : GRPC_REASONS[code];
}

function reasonIn({ code, name, message, details }: Said): ErrorReason | undefined {
  return details.reason ?? reasonOfName(name) ?? reasonOfCode(code) ?? reasonOfWords(message);
}

/** What the agent says itself about a 500 is its own fault; one that says nothing may be of a proxy before it. */
function reasonOfStatus(status: number, { message, status: name }: Said): ErrorReason | undefined {
  if (status === 400 && name === "FAILED_PRECONDITION") return "UNSUPPORTED_OPERATION";
  if (status === 500 && message !== undefined) return "INTERNAL_ERROR";
  return HTTP_REASONS[status] ?? (status >= 500 ? "UNAVAILABLE" : undefined);
}

/** Events have no member `error`, and none of them is a number. */
function isErrorBody(data: unknown): boolean {
  if (!isObject(data)) return false;
  const { error, code, message } = data;
  return (
    (error !== undefined && error !== null) ||
    (typeof code === "number" && typeof message === "string")
  );
}

function detailsInStatus(bytes: Uint8Array | undefined): SaidDetails {
  if (bytes === undefined) return NO_DETAILS;
  try {
    return detailsIn(decodeStatus(bytes).details);
  } catch {
    // Details that cannot be read say nothing, and the status says enough.
    return NO_DETAILS;
  }
}
