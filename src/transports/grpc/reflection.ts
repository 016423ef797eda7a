/** The standard reflection service, versions v1 and v1alpha, from the same .proto files that the codecs read. */
import { dirname, resolve } from "node:path";
import type { Server } from "@grpc/grpc-js";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { BoundDialect } from "../../wire/endpoint.ts";

export function addReflection(server: Server, dialects: readonly BoundDialect[]): void {
  const definitions: PackageDefinition[] = dialects.map(({ dialect }) =>
    loadSync(dialect.grpc.proto, { includeDirs: [rootOf(dialect.grpc.proto)] }),
  );
  const services = dialects.map(({ dialect }) => dialect.grpc.service);
  new ReflectionService(Object.assign({}, ...definitions), { services }).addToServer(server);
}

/** The folder that imports are relative to: `proto/` for `proto/a2a/v1/a2a.proto`. */
function rootOf(proto: string): string {
  return resolve(dirname(proto), "../..");
}
