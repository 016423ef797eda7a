/** The description of the Admin API as OpenAPI 3.1, made of the routes that the router is made of. */
import { STATUS_CODES } from "node:http";
import type { JsonObject } from "../../protocol/json.ts";
import { FAILURE } from "./failure.ts";
import type { Parameters } from "./parameter.ts";
import type { Route } from "./route.ts";

/** @param needsToken whether requests carry the operations token. */
export function openApiOf(routes: readonly Route[], needsToken: boolean): JsonObject {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const schemas = [FAILURE, ...routes.map(({ answer }) => answer)].flatMap(({ named }) => [
    ...named,
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "a2a-gateway Admin API", version: "1" },
    ...(needsToken && { security: [{ token: [] }] }),
    paths: Object.fromEntries(
      paths.map((path) => [path, pathItemOf(routes.filter((route) => route.path === path))]),
    ),
    components: {
      schemas: Object.fromEntries(schemas),
      ...(needsToken && { securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
    },
  };
}

function pathItemOf(routes: readonly Route[]): JsonObject {
  return Object.fromEntries(
    routes.map((route) => [route.method.toLowerCase(), operationOf(route)]),
  );
}

function operationOf(route: Route): JsonObject {
  const { operation, summary, segments, query, body } = route;
  return {
    operationId: operation,
    summary,
    parameters: [...parametersOf("path", segments), ...parametersOf("query", query)],
    ...(body && {
      requestBody: {
        required: body.isRequired,
        content: { "application/json": { schema: body.json } },
      },
    }),
    responses: { ...successesOf(route), ...failuresOf(route) },
  };
}

function parametersOf(place: "path" | "query", parameters: Parameters): readonly JsonObject[] {
  return Object.entries(parameters).map(([name, { description, json }]) => ({
    name,
    in: place,
    required: place === "path",
    description,
    schema: json,
  }));
}

function successesOf({ statuses, answer }: Route): JsonObject {
  const content = { "application/json": { schema: answer.json } };
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      { description, ...(status !== "204" && { content }) },
    ]),
  );
}

function failuresOf({ failures, body }: Route): JsonObject {
  const content = { "application/json": { schema: FAILURE.json } };
  const statuses = [...BY_ALL, ...(body === undefined ? [] : BY_BODY), ...failures];
  return Object.fromEntries(
    [...statuses, "default"].map((status) => [
      status,
      { description: STATUS_CODES[status] ?? "Any other failure", content },
    ]),
  );
}

/** Unknown query parameters, and no access. */
const BY_ALL = [400, 401, 403];
const BY_BODY = [413, 415];
