/** Why a gRPC call failed. */
import { status as codes, type ServiceError } from "@grpc/grpc-js";
import { A2AError } from "../../../protocol/errors.ts";
import type { ClientDialect } from "../../../wire/client.ts";
import { localFailure } from "./grpc-local-failure.ts";
import type { PeerFailure } from "./peer-failure.ts";
import { statusFailure } from "./status-failure.ts";

/** @param maxMessage the limit that the channel has */
export function grpcFailure(thrown: unknown, { grpc }: ClientDialect, maxMessage: number): unknown {
  if (!isServiceError(thrown)) return thrown;
  const { code, details, metadata } = thrown;
  if (isOurLimit(details, maxMessage))
    return new A2AError(
      "INVALID_AGENT_RESPONSE",
      `the agent's answer is longer than ${maxMessage} bytes`,
    );
  const [, httpStatus] = /^Received HTTP status code (\d+)$/.exec(details) ?? [];
  if (httpStatus !== undefined) return httpFailure(Number(httpStatus), thrown);
  const local = localFailure(details, thrown);
  if (local !== undefined) return local;
  const [bytes] = metadata.get("grpc-status-details-bin");
  const error = grpc.errorOf(code, details, bytes instanceof Buffer ? bytes : undefined);
  if (code === codes.RESOURCE_EXHAUSTED && error.reason !== "RATE_LIMITED") return error;
  const isTooLong = code === codes.RESOURCE_EXHAUSTED && TOO_LONG.test(details);
  const status = isTooLong ? 413 : STATUSES[code];
  const said = `gRPC ${codes[code]}`;
  return (status && statusFailure({ status, said, cause: error }, false)) ?? error;
}

/** The limit of the channel, of a message and of what it decompresses to. */
function isOurLimit(details: string, maxMessage: number): boolean {
  return (
    details.startsWith("Received message") &&
    (details.endsWith(`vs ${maxMessage})`) || details.endsWith(`size larger than ${maxMessage}`))
  );
}

/** What gRPC servers of several languages say of a request that is too long for them: the same code as for too many. */
const TOO_LONG = /message larger than max|message exceeds maximum size/i;

/** The HTTP status that means the same. */
const STATUSES: Readonly<Record<number, number>> = {
  [codes.UNAUTHENTICATED]: 401,
  [codes.PERMISSION_DENIED]: 403,
  [codes.RESOURCE_EXHAUSTED]: 429,
  [codes.UNAVAILABLE]: 503,
};

/** What answered is no gRPC server: a proxy, or the wrong port. */
function httpFailure(status: number, cause: unknown): PeerFailure | A2AError {
  const said = `HTTP ${status}`;
  return (
    statusFailure({ status, said, cause }, true) ??
    new A2AError("INVALID_AGENT_RESPONSE", `the agent answered with ${said} and no gRPC`)
  );
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "number" &&
    "details" in thrown &&
    "metadata" in thrown
  );
}
