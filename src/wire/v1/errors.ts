/** Errors as 1.0 writes them: the same details of google.rpc on all three bindings (spec 9.5, 10.6, 11.6). */
import { ERRORS, type A2AError } from "../../protocol/errors.ts";
import type { GrpcFailure, RestFailure, RpcFailure } from "../dialect.ts";
import { headerText } from "../header-text.ts";
import { encodeStatus, type Detail } from "../status.ts";

const DOMAIN = "a2a-protocol.org";

export function rpcFailure(error: A2AError): RpcFailure {
  const { message, reason } = error;
  return { code: ERRORS[reason].jsonrpc, message, data: detailsOf(error) };
}

export function restFailure(error: A2AError): RestFailure {
  const { http, status } = ERRORS[error.reason];
  const details = detailsOf(error);
  return { status: http, body: { error: { code: http, status, message: error.message, details } } };
}

export function grpcFailure(error: A2AError): GrpcFailure {
  const code = ERRORS[error.reason].grpc;
  const message = headerText(error.message);
  return { code, message, status: encodeStatus({ code, message, details: detailsOf(error) }) };
}

function detailsOf({ reason, metadata, violations, retryAfter }: A2AError): readonly Detail[] {
  // Every error names its reason, those of JSON-RPC too: client libraries take the type of an error from here.
  const details: Detail[] = [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: DOMAIN,
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    },
  ];
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
