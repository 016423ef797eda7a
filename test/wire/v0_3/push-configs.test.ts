import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskPushNotificationConfig } from "../../../src/protocol/model.ts";
import { textOf } from "../../../src/protocol/ready-made.ts";
import { grpcCodecs } from "../../../src/wire/v0_3/grpc-codecs.ts";
import { messages } from "../../../src/wire/v0_3/messages.ts";
import { restCodecs } from "../../../src/wire/v0_3/rest-codecs.ts";
import { refusal, violationsOf } from "../support.ts";

const rest = restCodecs.createTaskPushNotificationConfig;
const grpc = grpcCodecs(true).createTaskPushNotificationConfig;

const camel = {
  url: "https://hook/x",
  token: "s",
  authentication: { schemes: ["Bearer", "Basic"], credentials: "c" },
};
const config: TaskPushNotificationConfig = {
  taskId: "t",
  id: "default",
  url: "https://hook/x",
  token: "s",
  authentication: { scheme: "Bearer", credentials: "c" },
};
const name = "tasks/t/pushNotificationConfigs/p";

function create(body: unknown): unknown {
  return rest.decode({ params: { id: "t" }, query: new URLSearchParams(), body });
}

test("every form of body that clients send is one config", () => {
  for (const body of [
    camel,
    { config: camel },
    { pushNotificationConfig: camel },
    { push_notification_config: camel },
    { name, pushNotificationConfig: camel },
    { taskId: "t", pushNotificationConfig: camel },
    { parent: "tasks/t", config: { name, pushNotificationConfig: camel } },
    { parent: "tasks/t", config: { push_notification_config: camel } },
    { config: { pushNotificationConfig: { config: camel } } },
  ])
    assert.deepEqual(create(body), config);
});

test("the id stands in the config or beside it; without one it is the default one", () => {
  for (const body of [
    { ...camel, id: "p" },
    { config: { ...camel, id: "p" } },
    { configId: "p", config: { pushNotificationConfig: camel } },
    { config_id: "p", config: { name, push_notification_config: { ...camel, id: "p" } } },
    { parent: "tasks/t/pushNotificationConfigs", configId: "p", config: camel },
  ])
    assert.deepEqual(create(body), { ...config, id: "p" });
  assert.deepEqual(create({ name, configId: "", pushNotificationConfig: camel }), config);
});

test("two ids that differ are refused", () => {
  const body = { configId: "p", config: { pushNotificationConfig: { ...camel, id: "q" } } };
  assert.deepEqual(
    violationsOf(() => create(body)),
    { configId: "differs from config.pushNotificationConfig.id" },
  );
});

test("a body that names another task than the path is refused", () => {
  for (const [field, body] of [
    ["parent", { parent: "tasks/u", config: camel }],
    ["name", { name: "tasks/u/pushNotificationConfigs/p", pushNotificationConfig: camel }],
    ["name", { config: { name: "tasks/tt/x", pushNotificationConfig: camel } }],
    ["taskId", { taskId: "u", pushNotificationConfig: camel }],
    ["task_id", { ...camel, task_id: "u" }],
  ] as const)
    assert.deepEqual(
      violationsOf(() => create(body)),
      { [field]: "differs between the path and the body" },
    );
});

test("a config needs a url, credentials need a scheme", () => {
  for (const body of [undefined, {}, { config: {} }, { config: { pushNotificationConfig: {} } }])
    assert.deepEqual(
      violationsOf(() => create(body)),
      { "config.pushNotificationConfig.url": "is required" },
    );
  assert.deepEqual(
    Object.keys(violationsOf(() => create({ ...camel, authentication: { credentials: "c" } }))),
    ["config.pushNotificationConfig.authentication.schemes"],
  );
  for (const body of [[], "x", 1])
    assert.equal(refusal(() => create(body)).message, "the body is not a JSON object");
});

test("an empty authentication and an empty token are none", () => {
  assert.deepEqual(create({ url: "https://hook/x", token: "", authentication: {} }), {
    taskId: "t",
    id: "default",
    url: "https://hook/x",
  });
});

test("gRPC names the task in the parent", () => {
  const { CreateTaskPushNotificationConfigRequest } = messages;
  for (const parent of ["tasks/t", "tasks/t/pushNotificationConfigs"]) {
    const bytes = CreateTaskPushNotificationConfigRequest.toProto({
      parent,
      configId: "p",
      config: { name, pushNotificationConfig: camel },
    });
    assert.deepEqual(grpc.decode(bytes), { ...config, id: "p" });
  }
});

test("a config comes out under its name", () => {
  const named = {
    name,
    pushNotificationConfig: {
      ...camel,
      id: "p",
      authentication: { schemes: ["Bearer"], credentials: "c" },
    },
  };
  const stored = { ...config, id: "p" };
  assert.deepEqual(JSON.parse(textOf(rest.encode(stored))), named);
  const bytes = grpc.encode(stored);
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual(messages.TaskPushNotificationConfig.fromProto(bytes), named);
});

test("a list of configs is there even when it is empty", () => {
  const { encode } = restCodecs.listTaskPushNotificationConfigs;
  assert.equal(textOf(encode({ configs: [] })), '{"configs":[]}');
  assert.deepEqual(
    JSON.parse(textOf(encode({ configs: [{ ...config, id: "p" }], nextPageToken: "n" })))
      .nextPageToken,
    "n",
  );
  const bytes = grpcCodecs(true).listTaskPushNotificationConfigs.encode({
    configs: [{ taskId: "t", id: "p", url: "https://hook/x" }],
    nextPageToken: "n",
  });
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual(messages.ListTaskPushNotificationConfigResponse.fromProto(bytes), {
    configs: [{ name, pushNotificationConfig: { id: "p", url: "https://hook/x" } }],
    nextPageToken: "n",
  });
});
