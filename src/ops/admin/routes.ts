/** Every route of the Admin API: its router and its description are both made of this. */
import type { JsonObject } from "../../protocol/json.ts";
import { agentRoutes } from "./agent-routes.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { openApiOf } from "./open-api.ts";
import type { AdminPorts } from "./ports.ts";
import { ok, route, type Route } from "./route.ts";
import { anyObject } from "./schema.ts";
import { taskRoutes } from "./task-routes.ts";

export function adminRoutes(ports: AdminPorts): readonly Route[] {
  const needsToken = ports.access.token !== undefined;
  const routes = [
    ...agentRoutes(ports.agents),
    ...taskRoutes(ports),
    ...keyRoutes(ports.keys),
    ...deliveryRoutes(ports.deliveries),
    descriptionRoute(() => document),
  ];
  const document = openApiOf(routes, needsToken);
  return routes;
}

function descriptionRoute(document: () => JsonObject): Route {
  return route({
    method: "GET",
    path: "/admin/openapi.json",
    operation: "getDescription",
    summary: "This description",
    answer: anyObject("an OpenAPI 3.1 document"),
    statuses: { 200: "the description" },
    run: async () => ok(document()),
  });
}
