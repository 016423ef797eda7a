/** google.rpc.Status, the error that gRPC carries in the trailer `grpc-status-details-bin`. */
import { openSchema } from "./schema.ts";

/** A detail in ProtoJSON: its fields beside the type that they are of. */
export interface Detail {
  readonly "@type": string;
  readonly [field: string]: unknown;
}

export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly Detail[];
}

interface StatusMessage {
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly { readonly typeUrl?: string; readonly value?: string }[];
}

const PREFIX = "type.googleapis.com/";
const KNOWN = ["google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.rpc.RetryInfo"];

const schema = openSchema("google/rpc/status.proto", "google/rpc/error_details.proto");
const statusMessage = schema.message<StatusMessage>("google.rpc.Status");
const detailMessages = new Map(KNOWN.map((name) => [PREFIX + name, schema.message(name)]));

/** The details are of the types in google/rpc/error_details.proto. */
export function encodeStatus({ code, message, details }: Status): Uint8Array {
  return statusMessage.toProto({
    code,
    message,
    details: details.map((detail) => {
      const bytes = detailMessages.get(detail["@type"])?.toProto(detail);
      if (bytes === undefined) throw new Error(`no message for the detail ${detail["@type"]}`);
      return { typeUrl: detail["@type"], value: Buffer.from(bytes).toString("base64") };
    }),
  });
}

/** Details of other types are left out. Throws INVALID_PARAMS for bytes that are no status. */
export function decodeStatus(bytes: Uint8Array): Status {
  const { code = 0, message = "", details = [] } = statusMessage.fromProto(bytes);
  return {
    code,
    message,
    details: details.flatMap(({ typeUrl = "", value = "" }) => {
      const detail = detailMessages
        .get(typeUrl)
        ?.fromProto(Buffer.from(value, "base64"), "lenient");
      return detail === undefined ? [] : [{ "@type": typeUrl, ...detail }];
    }),
  };
}
