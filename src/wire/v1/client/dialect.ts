/** A2A 1.0, from the side of the caller. */
import { decodeBy, encodeBy } from "../../client-codecs.ts";
import { grpcErrorOf, restErrorIn, restErrorOf, rpcErrorOf } from "../../client-errors.ts";
import { nameIn } from "../../client-methods.ts";
import type { ClientDialect } from "../../client.ts";
import { v1 } from "../index.ts";
import { methods } from "../methods.ts";
import { jsonDecoders, protoDecoders } from "./answers.ts";
import { paramsEncoders, protoEncoders } from "./requests.ts";
import { restRequests } from "./rest-requests.ts";

const nameOf = nameIn(methods);

export const v1Client: ClientDialect = {
  version: v1.version,
  extensionHeader: v1.extensionHeaders[0],
  jsonrpc: {
    methodOf: nameOf,
    encode: encodeBy(paramsEncoders),
    decode: decodeBy(jsonDecoders("result")),
    errorOf: rpcErrorOf,
  },
  rest: {
    requestOf: encodeBy(restRequests),
    decode: decodeBy(jsonDecoders("body")),
    errorOf: restErrorOf,
    errorIn: restErrorIn,
  },
  grpc: {
    pathOf: (operation) => `/${v1.grpc.service}/${nameOf(operation)}`,
    encode: encodeBy(protoEncoders),
    decode: decodeBy(protoDecoders),
    errorOf: grpcErrorOf,
  },
};
