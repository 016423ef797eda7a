/** An error as the trailing status of a call, within what clients accept as trailers. */
import { Metadata, status, type StatusObject } from "@grpc/grpc-js";
import { A2AError } from "../../protocol/errors.ts";
import type { Dialect, GrpcFailure } from "../../wire/dialect.ts";
import { errorOf, retryAfterOf, type DoorLog } from "../request.ts";

/** Some clients refuse trailers past 8 KiB altogether, and then see no status at all. */
const MAX_MESSAGE_BYTES = 2048;
const MAX_DETAILS_BYTES = 3072;
const MAX_VIOLATIONS = 10;

/** For the caller of an error that could not be written as a status. */
export const FAULT = { code: status.INTERNAL, details: "internal error" } as const;

/** What is known of a call that fails. */
export interface Failing {
  readonly dialect: Dialect;
  readonly log: DoorLog;
  readonly requestId: string;
}

export function statusOf(
  thrown: unknown,
  { dialect, log, requestId }: Failing,
): StatusObject & { name: string; message: string } {
  const error = errorOf(thrown, log, { requestId });
  const failure = fittingFailure(error, dialect);
  const metadata = new Metadata();
  if (failure.status !== undefined)
    metadata.set("grpc-status-details-bin", Buffer.from(failure.status));
  if (error.retryAfter !== undefined) metadata.set("retry-after", retryAfterOf(error.retryAfter));
  for (const challenge of error.challenges) metadata.add("www-authenticate", challenge);
  const { code, message } = failure;
  return { name: error.reason, message, code, details: message, metadata };
}

/** Leaves out violations, then metadata, until the details fit. */
function fittingFailure(error: A2AError, dialect: Dialect): GrpcFailure {
  const message = shortened(error.message);
  const { reason, metadata, violations } = error;
  const first = violations.slice(0, MAX_VIOLATIONS);
  const variants = [{ metadata, violations: first }, { metadata }, {}];
  let failure: GrpcFailure | undefined;
  for (const details of variants) {
    failure = dialect.grpc.failure(new A2AError(reason, message, details));
    if ((failure.status?.length ?? 0) <= MAX_DETAILS_BYTES) return failure;
  }
  const { code } = failure ?? dialect.grpc.failure(error);
  return { code, message };
}

/** Well-formed, since it is percent-encoded on its way, and short even then. */
function shortened(message: string): string {
  const text = Buffer.from(message).toString();
  if (encodeURI(text).length <= MAX_MESSAGE_BYTES) return text;
  const kept = Array.from(text.slice(0, MAX_MESSAGE_BYTES));
  let length = 3;
  let end = 0;
  for (const character of kept) {
    length += encodeURI(wellFormed(character)).length;
    if (length > MAX_MESSAGE_BYTES) break;
    end += character.length;
  }
  return `${text.slice(0, end)}...`;
}

function wellFormed(character: string): string {
  return Buffer.from(character).toString();
}
