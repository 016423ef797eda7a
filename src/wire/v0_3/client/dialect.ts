/** A2A 0.3, from the side of the caller. */
import { decodeBy, encodeBy } from "../../client-codecs.ts";
import { grpcErrorOf, restErrorIn, restErrorOf, rpcErrorOf } from "../../client-errors.ts";
import { nameIn } from "../../client-methods.ts";
import type { ClientDialect } from "../../client.ts";
import { grpcMethods } from "../grpc-methods.ts";
import { EXTENSION_HEADERS, SERVICE, VERSION } from "../index.ts";
import { methods } from "../methods.ts";
import { kindDecoders } from "./kind-answers.ts";
import { kindEncoders } from "./kind-requests.ts";
import { protoDecoders, restDecoders } from "./proto-answers.ts";
import { protoEncoders } from "./proto-requests.ts";
import { restRequests } from "./rest-requests.ts";

const grpcNameOf = nameIn(grpcMethods);

export const v0_3Client: ClientDialect = {
  version: VERSION,
  extensionHeader: EXTENSION_HEADERS[0],
  jsonrpc: {
    methodOf: nameIn(methods),
    encode: encodeBy(kindEncoders),
    decode: decodeBy(kindDecoders("result")),
    errorOf: rpcErrorOf,
  },
  rest: {
    requestOf: encodeBy(restRequests),
    decode: decodeBy(restDecoders),
    errorOf: restErrorOf,
    errorIn: restErrorIn,
  },
  grpc: {
    pathOf: (operation) => `/${SERVICE}/${grpcNameOf(operation)}`,
    encode: encodeBy(protoEncoders),
    decode: decodeBy(protoDecoders),
    errorOf: grpcErrorOf,
  },
};
