/** The standard health service, for the server as a whole and for each version's service. */
import type { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import type { BoundDialect } from "../../wire/endpoint.ts";

export interface Health {
  drain(): void;
}

export function addHealth(server: Server, dialects: readonly BoundDialect[]): Health {
  const services = ["", ...dialects.map(({ dialect }) => dialect.grpc.service)];
  const health = new HealthImplementation();
  for (const service of services) health.setStatus(service, "SERVING");
  health.addToServer(server);
  return {
    drain(): void {
      for (const service of services) health.setStatus(service, "NOT_SERVING");
    },
  };
}
