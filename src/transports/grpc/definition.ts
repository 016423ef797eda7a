/** What grpc-js has to know of a version's service: its methods, whose messages it hands through as they are. */
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { Dialect } from "../../wire/dialect.ts";
import { PROTO_ROOT } from "../../wire/schema/shapes.ts";

/** The service as its .proto declares it. Throws an Error where it declares none. */
export function definitionIn({ proto, service }: Dialect["grpc"]): ServiceDefinition {
  const definition = loadSync(proto, { includeDirs: [PROTO_ROOT] })[service];
  if (definition === undefined || "format" in definition) {
    throw new Error(`${proto} declares no service ${service}`);
  }
  return definition;
}

/** The method's path and streaming as declared; its messages go to the codecs as bytes. `name` stands for it in errors. */
export function passingBytes(
  declared: ServiceDefinition[string] | undefined,
  name: string,
): ServiceDefinition[string] {
  if (declared === undefined) throw new Error(`no method ${name} is declared`);
  return {
    ...declared,
    requestSerialize: bufferOf,
    requestDeserialize: untouched,
    responseSerialize: bufferOf,
    responseDeserialize: untouched,
  };
}

function untouched(bytes: Buffer): Buffer {
  return bytes;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
