/** The gRPC binding (spec 10). */
import * as grpc from "@grpc/grpc-js";
import {
  PROTOCOL_VERSION,
  withTenant,
  type Door,
  type DoorInput,
  type StreamOptions,
} from "./door.ts";
import { OPERATIONS, type CallName } from "./operations.ts";
import { RemoteError } from "./remote-error.ts";
import { decodeBytes, encodeBytes, reasonInStatus, SERVICE } from "./wire.ts";

const LARGEST_MESSAGE = 64 * 1024 * 1024;

export function grpcDoor(input: DoorInput): Door {
  const { target, credentials } = targetOf(input);
  const client = new grpc.Client(target, credentials, {
    "grpc.max_receive_message_length": LARGEST_MESSAGE,
  });
  return {
    call: (operation, request) =>
      new Promise((resolve, reject) => {
        const { path, encode, decode } = methodOf(operation);
        const metadata = metadataOf(input, {});
        const body = withTenant(request, input);
        const options = deadlineOf(input);
        client.makeUnaryRequest(path, encode, decode, body, metadata, options, (error, answer) => {
          if (error) reject(errorOf(error));
          else resolve(answer);
        });
      }),
    async *stream(operation, request, options) {
      const { path, encode, decode } = methodOf(operation);
      const metadata = metadataOf(input, options);
      const body = withTenant(request, input);
      const events = client.makeServerStreamRequest(path, encode, decode, body, metadata);
      try {
        for await (const event of events) yield event as unknown;
      } catch (thrown) {
        throw errorOf(thrown);
      } finally {
        events.cancel();
      }
    },
    close: () => client.close(),
  };
}

function methodOf(operation: CallName) {
  const { method, request, answer } = OPERATIONS[operation];
  return {
    path: `/${SERVICE}/${method}`,
    encode: (message: object) => Buffer.from(encodeBytes(request, message)),
    decode: (bytes: Buffer): unknown => decodeBytes(answer, bytes),
  };
}

function metadataOf(input: DoorInput, { resumeAfter }: StreamOptions): grpc.Metadata {
  const metadata = new grpc.Metadata();
  metadata.set("a2a-version", PROTOCOL_VERSION);
  for (const [name, value] of Object.entries(input.headers)) metadata.set(name, value);
  if (resumeAfter !== undefined) metadata.set("a2a-last-event-id", resumeAfter);
  return metadata;
}

function deadlineOf({ timeoutMs }: DoorInput): grpc.CallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

/** `host:port` as the card has it; a scheme, which some cards write, decides on TLS, else port 443 or the card's own way. */
function targetOf({ interface: { url }, isSecure: isCardSecure, tls }: DoorInput): {
  readonly target: string;
  readonly credentials: grpc.ChannelCredentials;
} {
  const [, scheme, target = url] = /^(\w+):\/\/([^/]*)/.exec(url) ?? [];
  const isSecure =
    scheme === undefined ? isCardSecure || target.endsWith(":443") : scheme.endsWith("s");
  return {
    target,
    credentials: isSecure
      ? grpc.credentials.createSsl(bytesOf(tls?.ca), bytesOf(tls?.key), bytesOf(tls?.cert))
      : grpc.credentials.createInsecure(),
  };
}

function bytesOf(pem: string | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}

function errorOf(thrown: unknown): RemoteError {
  if (!(thrown instanceof Error) || !("code" in thrown))
    return new RemoteError("the call failed", { cause: thrown });
  const { code, details, metadata } = thrown as grpc.ServiceError;
  const [status] = metadata?.get("grpc-status-details-bin") ?? [];
  return new RemoteError(details || thrown.message, {
    code,
    reason: status instanceof Buffer ? reasonInStatus(status) : undefined,
    cause: thrown,
  });
}
