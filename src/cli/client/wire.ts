/** The 1.0 messages as the other side writes them. Lenient: what is missing is empty, what is unknown is ignored. */
import { A2AError } from "../../protocol/errors.ts";
import { openSchema, type Schema } from "../../wire/schema.ts";
import { RemoteError } from "./remote-error.ts";

const PACKAGE = "lf.a2a.v1";

export const SERVICE = `${PACKAGE}.A2AService`;

const FILES = ["a2a/v1/a2a.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"];

let opened: Schema | undefined;

/** Read when a command first needs it: most do not. */
function schema(): Schema {
  opened ??= openSchema(...FILES);
  return opened;
}

interface RpcStatus {
  readonly details?: readonly { readonly typeUrl?: string; readonly value?: string }[];
}

interface ErrorInfo {
  readonly reason?: string;
}

export function decodeJson(message: string, json: unknown): unknown {
  return received(message, () => messageOf(message).decode(json, "lenient"));
}

export function decodeBytes(message: string, bytes: Uint8Array): unknown {
  return received(message, () => messageOf(message).fromProto(bytes, "lenient"));
}

export function encodeBytes(message: string, model: object): Uint8Array {
  return messageOf(message).toProto(model);
}

/** The reason of the ErrorInfo in a serialized google.rpc.Status; undefined where there is none. */
export function reasonInStatus(bytes: Uint8Array): string | undefined {
  const status = schema().message<RpcStatus>("google.rpc.Status").fromProto(bytes, "lenient");
  const info = status.details?.find(({ typeUrl }) => typeUrl?.endsWith("/google.rpc.ErrorInfo"));
  if (info === undefined) return undefined;
  const value = Buffer.from(info.value ?? "", "base64");
  return schema().message<ErrorInfo>("google.rpc.ErrorInfo").fromProto(value, "lenient").reason;
}

function messageOf(name: string) {
  return schema().message<object>(`${PACKAGE}.${name}`);
}

function received<T>(message: string, decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (!A2AError.is(thrown)) throw thrown;
    throw new RemoteError(`the answer is no ${message}: ${thrown.message}`, { cause: thrown });
  }
}
