/** The standard reflection service, versions v1 and v1alpha, from the same .proto files that the codecs read. */
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { protoPath as healthProto } from "grpc-health-check";
import type { BoundDialect } from "../../wire/endpoint.ts";
import { fileDescriptorsOf } from "../../wire/schema/descriptors.ts";

const FORMAT = "Protocol Buffer 3 DescriptorProto";

export function addReflection(server: Server, dialects: readonly BoundDialect[]): void {
  const protos = dialects.map(({ dialect }) => dialect.grpc.proto);
  const fileDescriptorProtos = [...fileDescriptorsOf([...protos, healthProto])];
  // Of a definition, the service reads nothing but its files.
  const files = { format: FORMAT, type: {}, fileDescriptorProtos } as const;
  new ReflectionService({ files }).addToServer(server);
}
