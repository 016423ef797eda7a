/** A2A 0.3. */
import { join } from "node:path";
import type { Dialect } from "../dialect.ts";
import { PROTO_ROOT } from "../schema/shapes.ts";
import { grpcFailure, restFailure, rpcFailure } from "./errors.ts";
import { grpcCodecs } from "./grpc-codecs.ts";
import { grpcMethods } from "./grpc-methods.ts";
import { kindCodecs } from "./kind/codecs.ts";
import { PROTO } from "./messages.ts";
import { methods } from "./methods.ts";
import { restCodecs } from "./rest-codecs.ts";
import { failureSchema, shapes } from "./rest-shapes.ts";
import { routes } from "./routes.ts";

/** What an operator can settle of this version. */
export interface Settings {
  /** Whether SendMessage waits when a gRPC caller does not say so: the protobuf cannot say "do not wait". */
  readonly grpcBlockingDefault: boolean;
}

export const VERSION = "0.3";
export const SERVICE = "a2a.v1.A2AService";
export const EXTENSION_HEADERS = ["x-a2a-extensions", "a2a-extensions"] as const;

export function v0_3({ grpcBlockingDefault }: Settings): Dialect {
  return {
    version: VERSION,
    // Spec 0.3, 8.2.
    cancelsOnce: true,
    extensionHeaders: EXTENSION_HEADERS,
    jsonrpc: {
      methods,
      codecs: kindCodecs,
      // To a call that streams, the SDKs of 0.3 understand no other answer.
      streamsErrors: new Set(["sendStreamingMessage", "subscribeToTask"]),
      failure: rpcFailure,
    },
    rest: {
      routes,
      codecs: restCodecs,
      // The JavaScript client tells errors from events by it.
      failureEvent: "error",
      failure: restFailure,
      shapes,
      failureSchema,
    },
    grpc: {
      proto: join(PROTO_ROOT, PROTO),
      service: SERVICE,
      methods: grpcMethods,
      agentIn: "metadata",
      codecs: grpcCodecs(grpcBlockingDefault),
      failure: grpcFailure,
    },
  };
}
