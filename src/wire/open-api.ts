/** HTTP+JSON as OpenAPI 3.1 describes it, made of the routes and of the messages that the codecs are made of. */
import type { JsonObject } from "../protocol/json.ts";
import { OPERATIONS, type OperationName } from "../protocol/service.ts";
import type { Dialect, RestShape, Route } from "./dialect.ts";
import type { Described } from "./schema/json-schema.ts";

export interface RestDescription {
  /** By path, relative to the agent's base. */
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** What these dialects have on HTTP+JSON. The newest one comes first: its operations go by their bare names. */
export function restDescriptionOf(dialects: readonly Dialect[]): RestDescription {
  const described = dialects.flatMap((dialect) => operationsOf(dialect, dialect === dialects[0]));
  const paths = new Set(described.map(({ path }) => path));
  const failures = dialects.map((dialect) => [failureName(dialect), dialect.rest.failureSchema]);
  return {
    paths: Object.fromEntries(
      [...paths].map((path) => {
        const operations = described.filter((each) => each.path === path);
        return [path, Object.fromEntries(operations.map(({ method, json }) => [method, json]))];
      }),
    ),
    schemas: Object.fromEntries([...described.flatMap(({ named }) => named), ...failures]),
  };
}

interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly json: JsonObject;
  readonly named: readonly (readonly [name: string, schema: JsonObject])[];
}

function operationsOf(dialect: Dialect, isNewest: boolean): readonly DescribedOperation[] {
  const { routes, shapes } = dialect.rest;
  const nameOf = (route: Route): string => {
    const isSecond = routes.find(({ operation }) => operation === route.operation) !== route;
    const version = isNewest ? "" : `_${dialect.version.replace(".", "_")}`;
    return `${route.operation}${version}${isSecond ? `_${route.method.toLowerCase()}` : ""}`;
  };
  return routes.map((route) => {
    const shape = shapes[route.operation];
    if (shape === undefined) throw new Error(`${route.path} is not described`);
    return operationOf({ dialect, route, shape, name: nameOf(route), nameOf });
  });
}

interface Operation {
  readonly dialect: Dialect;
  readonly route: Route;
  readonly shape: RestShape;
  readonly name: string;
  nameOf(route: Route): string;
}

function operationOf(operation: Operation): DescribedOperation {
  const { dialect, route, shape, name } = operation;
  const path = route.path.replace(/(\\?):(\w+)/g, (_, escape: string, word: string) =>
    escape === "" ? `{${word}}` : `:${word}`,
  );
  const elsewhere = new Set(shape.elsewhere);
  const body = route.method === "POST" ? shape.request.body(elsewhere) : undefined;
  const isStream = OPERATIONS[route.operation] === "stream";
  const answered = shape.answer();
  return {
    path,
    method: route.method.toLowerCase(),
    json: {
      operationId: name,
      tags: [`A2A ${dialect.version}`],
      parameters: [
        ...parametersIn(route.path).map(pathParameter),
        ...(body ? [] : shape.request.query(elsewhere).map(queryParameter)),
        versionHeader(dialect),
        ...(isStream ? [LAST_EVENT_ID] : []),
      ],
      ...(body && { requestBody: { required: body.isRequired, content: jsonOf(body.json) } }),
      responses: {
        200: isStream ? eventsAnswer(answered) : answer(operation, answered),
        ...Object.fromEntries([...FAILURES, "default"].map((code) => [code, failureOf(dialect)])),
      },
    },
    named: [...(body?.named ?? []), ...answered.named],
  };
}

const FAILURES = [400, 401, 403, 404, 413, 415, 429];

function jsonOf(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

function parametersIn(path: string): readonly string[] {
  return [...path.matchAll(/(?<!\\):(\w+)/g)].map(([, name = ""]) => name);
}

function pathParameter(name: string): JsonObject {
  return { name, in: "path", required: true, schema: { type: "string", minLength: 1 } };
}

function queryParameter({
  name,
  json,
}: {
  readonly name: string;
  readonly json: JsonObject;
}): JsonObject {
  return { name, in: "query", schema: json };
}

/** Spec 3.6: the version that the caller means, which must be that of the path. */
function versionHeader({ version }: Dialect): JsonObject {
  const pattern = `^ *(?:${version.replace(".", "\\.")}(?:\\.[0-9]+)?)? *$`;
  return { name: "A2A-Version", in: "header", schema: { type: "string", pattern } };
}

const LAST_EVENT_ID: JsonObject = {
  name: "Last-Event-ID",
  in: "header",
  description: "The id of the last event that was received: the stream goes on after it.",
  schema: { type: "string" },
};

function answer(operation: Operation, { json }: Described): JsonObject {
  const links = linksOf(operation);
  return { description: "What the operation answers.", content: jsonOf(json), ...links };
}

/** To what can be done with what the operation makes: a task, or a webhook of one. */
function linksOf({ dialect, route, shape: { madeId }, nameOf }: Operation): JsonObject {
  const linked = LINKED[route.operation];
  if (madeId === undefined || linked === undefined) return {};
  const links = dialect.rest.routes
    .filter(({ operation }) => linked.includes(operation))
    .map((target) => {
      const [task = "", webhook] = parametersIn(target.path);
      const made = `$response.body#${madeId}`;
      const parameters =
        webhook === undefined
          ? { [`path.${task}`]: made }
          : { [`path.${task}`]: `$request.path.${task}`, [`path.${webhook}`]: made };
      return [nameOf(target), { operationId: nameOf(target), parameters }];
    });
  return { links: Object.fromEntries(links) as JsonObject };
}

const LINKED: { readonly [N in OperationName]?: readonly OperationName[] } = {
  sendMessage: [
    "getTask",
    "cancelTask",
    "subscribeToTask",
    "createTaskPushNotificationConfig",
    "listTaskPushNotificationConfigs",
  ],
  createTaskPushNotificationConfig: [
    "getTaskPushNotificationConfig",
    "deleteTaskPushNotificationConfig",
  ],
};

/** The members of an event; OpenAPI 3.1 has no word for it that there are many of them. */
function eventsAnswer({ json }: Described): JsonObject {
  const data = { type: "string", contentMediaType: "application/json", contentSchema: json };
  const properties = { data, id: { type: "string" }, event: { type: "string" } };
  const schema = { type: "object", properties, required: ["data"] };
  return {
    description: "Server-sent events, each of them as the schema says.",
    content: { "text/event-stream": { schema } },
  };
}

function failureOf(dialect: Dialect): JsonObject {
  const schema = { $ref: `#/components/schemas/${failureName(dialect)}` };
  return { description: "A failure: the status says of what kind.", content: jsonOf(schema) };
}

function failureName({ version }: Dialect): string {
  return `failure.${version}`;
}
