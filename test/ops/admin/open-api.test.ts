/** The description of the Admin API, and that every route in it answers as it says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmin, type AdminInstance } from "../support/admin-client.ts";
import { misfits } from "../support/json-schema.ts";

type Schema = Readonly<Record<string, unknown>>;
interface Content {
  readonly "application/json": { readonly schema: Schema };
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: unknown;
  };
}

async function documentOf({ call }: AdminInstance, headers = {}): Promise<Document> {
  return (await call("GET", "/admin/openapi.json", { headers })).body as Document;
}

function operationsOf({ paths }: Document): readonly (Operation & {
  readonly path: string;
  readonly method: string;
})[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, path, method })),
  );
}

test("the description is OpenAPI 3.1 with everything that an operation needs", async (t) => {
  const document = await documentOf(await startAdmin(t));
  assert.equal(document.openapi, "3.1.0");
  assert.ok(document.info.title !== "" && document.info.version !== "");
  const operations = operationsOf(document);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length, "operation ids are unique");
  for (const { path, method, summary, parameters, requestBody, responses } of operations) {
    assert.match(path, /^\/admin\/[a-z{}/.]+$/i);
    assert.ok(["get", "put", "post", "delete"].includes(method), method);
    assert.notEqual(summary, "");
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const segments = parameters.filter((parameter) => parameter.in === "path");
    assert.deepEqual(
      segments.map(({ name }) => name),
      named,
      path,
    );
    assert.ok(segments.every(({ required }) => required));
    assert.ok(parameters.every(({ description, schema }) => description !== "" && schema["type"]));
    assert.equal(requestBody !== undefined, method !== "get", path);
    for (const status of ["400", "401", "403", "default"]) assert.ok(responses[status], status);
    for (const [status, { description, content }] of Object.entries(responses)) {
      assert.notEqual(description, "");
      assert.equal(content === undefined, status === "204", `${path} ${status}`);
    }
  }
});

test("every schema that is referred to is there, and no other", async (t) => {
  const document = await documentOf(await startAdmin(t));
  const text = JSON.stringify(document);
  const used = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual(new Set(used), new Set(Object.keys(document.components.schemas)));
});

/** A request of every operation. */
const REQUESTS: Readonly<
  Record<string, { readonly path: string; readonly body?: unknown; readonly status: number }>
> = {
  listAgents: { path: "/admin/agents", status: 200 },
  getAgent: { path: "/admin/agents/weather", status: 200 },
  putAgent: { path: "/admin/agents/news", body: { name: "News" }, status: 201 },
  deleteAgent: { path: "/admin/agents/weather", status: 204 },
  enableAgent: { path: "/admin/agents/echo/enable", status: 200 },
  disableAgent: { path: "/admin/agents/weather/disable", status: 200 },
  refreshAgent: { path: "/admin/agents/weather/refresh", status: 200 },
  reload: { path: "/admin/reload", status: 200 },
  listUpstreams: { path: "/admin/upstreams", status: 200 },
  searchTasks: { path: "/admin/tasks?pageSize=2", status: 200 },
  getTask: { path: "/admin/tasks/task-2", status: 200 },
  listTaskEvents: { path: "/admin/tasks/task-1/events?pageSize=2", status: 200 },
  cancelTask: { path: "/admin/tasks/task-1/cancel", status: 200 },
  listKeys: { path: "/admin/keys", status: 200 },
  createKey: { path: "/admin/keys", body: { principal: { id: "ci" } }, status: 201 },
  revokeKey: { path: "/admin/keys/key-1", status: 204 },
  listDeliveries: { path: "/admin/deliveries?pageSize=2", status: 200 },
  countDeliveries: { path: "/admin/deliveries/counts", status: 200 },
  redriveDeliveries: { path: "/admin/deliveries/redrive", body: { task: "task-1" }, status: 200 },
  pauseWebhook: { path: "/admin/webhooks/task-1/hook%2F1/pause", status: 200 },
  resumeWebhook: { path: "/admin/webhooks/task-1/hook%2F1/resume", status: 200 },
  getDescription: { path: "/admin/openapi.json", status: 200 },
};

test("every route that is described answers as it is described", async (t) => {
  const document = await documentOf(await startAdmin(t));
  const operations = operationsOf(document);
  assert.deepEqual(
    operations.map(({ operationId }) => operationId).sort(),
    Object.keys(REQUESTS).sort(),
  );
  const { schemas } = document.components;
  for (const { operationId, method, responses } of operations) {
    const { path = "", body, status } = REQUESTS[operationId] ?? {};
    const { call } = await startAdmin(t);
    const answer = await call(method.toUpperCase(), path, { body });
    assert.equal(answer.status, status, `${operationId}: ${answer.text}`);
    assert.equal(answer.headers["cache-control"], "no-store");
    const schema = responses[String(answer.status)]?.content?.["application/json"].schema;
    if (schema === undefined) assert.equal(answer.text, "", operationId);
    else assert.deepEqual(misfits(answer.body, schema, schemas), [], operationId);
  }
});

test("a failure has the shape that is described", async (t) => {
  const admin = await startAdmin(t);
  const { schemas } = (await documentOf(admin)).components;
  const failures = [
    await admin.call("GET", "/admin/agents/nobody"),
    await admin.call("GET", "/admin/tasks?color=red&pageSize=0"),
    await admin.call("PUT", "/admin/agents/news", { body: {} }),
    await admin.call("PATCH", "/admin/agents"),
  ];
  for (const { body } of failures)
    assert.deepEqual(misfits(body, { $ref: "#/components/schemas/Failure" }, schemas), []);
});

test("the description asks for the token where one is needed", async (t) => {
  assert.equal((await documentOf(await startAdmin(t))).security, undefined);
  const access = { token: "secret", isLoopback: true, callers: undefined };
  const document = await documentOf(await startAdmin(t, { access }), {
    authorization: "Bearer secret",
  });
  assert.deepEqual(document.security, [{ token: [] }]);
  assert.deepEqual(document.components.securitySchemes, {
    token: { type: "http", scheme: "bearer" },
  });
});
