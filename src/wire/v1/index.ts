/** A2A 1.0. */
import { join } from "node:path";
import type { Dialect } from "../dialect.ts";
import { PROTO_ROOT } from "../schema/shapes.ts";
import { grpcCodecs, jsonCodecs } from "./codecs.ts";
import { grpcFailure, restFailure, rpcFailure } from "./errors.ts";
import { PROTO } from "./messages.ts";
import { methods } from "./methods.ts";
import { failureSchema, shapes } from "./rest-shapes.ts";
import { routes } from "./routes.ts";

export const v1: Dialect = {
  version: "1.0",
  cancelsOnce: false,
  extensionHeaders: ["a2a-extensions"],
  jsonrpc: { methods, codecs: jsonCodecs, streamsErrors: new Set(), failure: rpcFailure },
  rest: {
    routes,
    codecs: jsonCodecs,
    failureEvent: undefined,
    failure: restFailure,
    shapes,
    failureSchema,
  },
  grpc: {
    proto: join(PROTO_ROOT, PROTO),
    service: "lf.a2a.v1.A2AService",
    methods,
    agentIn: "message",
    codecs: grpcCodecs,
    failure: grpcFailure,
  },
};
