import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationName } from "../../../src/protocol/service.ts";
import type { RestInput } from "../../../src/wire/dialect.ts";
import { jsonCodecs } from "../../../src/wire/v1/codecs.ts";
import { v1 } from "../../../src/wire/v1/index.ts";
import { refusal, violationsOf } from "../support.ts";

/** The request that the route and codec of an operation make of an HTTP request. */
function requestOf(
  method: string,
  operation: OperationName,
  { params = {}, query = new URLSearchParams(), body }: Partial<RestInput>,
): unknown {
  const route = v1.rest.routes.find((r) => r.method === method && r.operation === operation);
  assert.ok(route);
  return jsonCodecs[operation].decode(route.wireOf({ params, query, body }));
}

function cancel(body: unknown): unknown {
  return requestOf("POST", "cancelTask", { params: { id: "t" }, body });
}

test("a cancel needs no body", () => {
  for (const body of [undefined, null, {}, { id: "t" }, { id: "" }, { id: null }])
    assert.deepEqual(cancel(body), { id: "t" });
  assert.deepEqual(cancel({ metadata: { k: 1 } }), { id: "t", metadata: { k: 1 } });
});

test("a body that names another task than the path is refused", () => {
  for (const id of ["another", 5, ["t"]])
    assert.deepEqual(
      violationsOf(() => cancel({ id })),
      { id: "differs between the path and the body" },
    );
});

test("a body that is no object is refused", () => {
  for (const body of [[], "x", 1, true])
    assert.equal(refusal(() => cancel(body)).message, "the body is not a JSON object");
});

test("a push config is the whole body, its task the path's", () => {
  const params = { taskId: "t" };
  const body = { url: "https://hook/x", token: "t", authentication: { scheme: "Bearer" } };
  const create = (more: object) =>
    requestOf("POST", "createTaskPushNotificationConfig", { params, body: { ...body, ...more } });
  assert.deepEqual(create({}), { ...body, taskId: "t" });
  assert.deepEqual(create({ id: "c", task_id: "t" }), { ...body, id: "c", taskId: "t" });
  for (const conflict of [{ taskId: "u" }, { task_id: "u" }])
    assert.deepEqual(
      violationsOf(() => create(conflict)),
      { taskId: "differs between the path and the body" },
    );
});

test("a wrapped push config has no url", () => {
  const config = { url: "https://hook/x" };
  for (const body of [{ config }, { pushNotificationConfig: config }])
    assert.deepEqual(
      violationsOf(() =>
        requestOf("POST", "createTaskPushNotificationConfig", { params: { taskId: "t" }, body }),
      ),
      { url: "is required" },
    );
});

test("the path counts, not a query parameter of the same name", () => {
  const query = new URLSearchParams("id=other&historyLength=1&agent=x");
  assert.deepEqual(requestOf("GET", "getTask", { params: { id: "t", agent: "x" }, query }), {
    id: "t",
    historyLength: 1,
  });
});

test("a push config is found by both ids of the path", () => {
  const params = { taskId: "t", id: "c" };
  const query = new URLSearchParams("task_id=u");
  for (const [method, operation] of [
    ["GET", "getTaskPushNotificationConfig"],
    ["DELETE", "deleteTaskPushNotificationConfig"],
  ] as const)
    assert.deepEqual(requestOf(method, operation, { params, query }), params);
});

test("a subscription is asked for with GET, or with POST and no body", () => {
  const params = { id: "t" };
  for (const method of ["GET", "POST"])
    assert.deepEqual(requestOf(method, "subscribeToTask", { params }), { id: "t" });
});

test("a message without a body is refused for what it lacks", () => {
  assert.deepEqual(
    violationsOf(() => requestOf("POST", "sendMessage", {})),
    { message: "is required" },
  );
});
