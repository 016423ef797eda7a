/** Errors as 1.0 writes them: the same details of google.rpc on all three bindings (spec 9.5, 10.6, 11.6). */
import { ERRORS, type A2AError, type ErrorReason } from "../../protocol/errors.ts";
import type { GrpcFailure, RestFailure, RpcFailure } from "../dialect.ts";
import { encodeStatus, type Detail } from "../status.ts";

const DOMAIN = "a2a-protocol.org";

export function rpcFailure(error: A2AError): RpcFailure {
  const data = detailsOf(error);
  const { message, reason } = error;
  return { code: ERRORS[reason].jsonrpc, message, ...(data.length > 0 ? { data } : {}) };
}

export function restFailure(error: A2AError): RestFailure {
  const { http, status } = ERRORS[error.reason];
  const details = detailsOf(error);
  return { status: http, body: { error: { code: http, status, message: error.message, details } } };
}

export function grpcFailure(error: A2AError): GrpcFailure {
  const code = ERRORS[error.reason].grpc;
  const message = header(error.message);
  return { code, message, status: encodeStatus({ code, message, details: detailsOf(error) }) };
}

/** What the other members of the error say already: these name no reason of A2A. */
const PLAIN: ReadonlySet<ErrorReason> = new Set([
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "INVALID_PARAMS",
]);

function detailsOf({ reason, metadata, violations, retryAfter }: A2AError): readonly Detail[] {
  const details: Detail[] = [];
  if (!PLAIN.has(reason) || Object.keys(metadata).length > 0)
    details.push({
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: DOMAIN,
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    });
  if (violations.length > 0)
    details.push({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: violations.map(({ field, description }) => ({ field, description })),
    });
  if (retryAfter !== undefined)
    details.push({
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: `${Number(Math.max(0, retryAfter).toFixed(3))}s`,
    });
  return details;
}

const LONGEST = 4096;

/** The message travels in a header: those are limited in size, and percent-encoding fails on half a character. */
function header(message: string): string {
  const short =
    message.length > LONGEST
      ? `${message.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}...`
      : message;
  return Buffer.from(short, "utf8").toString("utf8");
}
