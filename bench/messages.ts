/** The protobuf messages of A2A for the load programs, straight from the .proto and not by the gateway's own code. */
import { createRequire } from "node:module";
import { join } from "node:path";
import protobuf from "protobufjs";

const DESCRIPTOR = "google/protobuf/descriptor.proto";
const require = createRequire(import.meta.url);
const folder = join(import.meta.dirname, "../proto");
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => {
  if (protobuf.common.get(target) !== null) return target;
  if (target === DESCRIPTOR) return require.resolve(`protobufjs/${DESCRIPTOR}`);
  return join(folder, target);
};
root.loadSync(["a2a/v1/a2a.proto", "a2a/v0_3/a2a.proto"]);

/** The packages of 1.0 and 0.3. */
export type Package = "lf.a2a.v1" | "a2a.v1";

/** ProtoJSON, but with times as seconds and nanos. */
export function encodeMessage(
  type: string,
  message: object,
  within: Package = "lf.a2a.v1",
): Buffer {
  const found = root.lookupType(`${within}.${type}`);
  return Buffer.from(found.encode(found.fromObject(message)).finish());
}

export function decodeMessage(
  type: string,
  bytes: Uint8Array,
  within: Package = "lf.a2a.v1",
): unknown {
  const found = root.lookupType(`${within}.${type}`);
  return found.toObject(found.decode(bytes), { enums: String, longs: Number });
}
