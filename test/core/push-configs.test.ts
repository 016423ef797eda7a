import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { EventLog } from "../../src/core/event-log.ts";
import type { Agent } from "../../src/core/ports/agent.ts";
import type { PushConfigKey } from "../../src/core/ports/push-store.ts";
import { PushConfigs } from "../../src/core/push-configs.ts";
import { A2AError, type FieldViolation } from "../../src/protocol/errors.ts";
import type { SendMessageRequest, TaskPushNotificationConfig } from "../../src/protocol/model.ts";
import { openStores, type Stores } from "../../src/store/knex/stores.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { ScriptedHandler, says } from "../support/scripted-handler.ts";
import { callOf, card } from "../support/task-service.ts";

const agent: Agent = {
  id: "echo",
  handler: new ScriptedHandler(says()),
  card,
  extendedCard: undefined,
  onRestart: "fail",
  idempotencyWindowMs: 0,
  forwardHeaders: [],
  turnTimeoutMs: 0,
  cancelGraceMs: 0,
  pushInterest: "all",
  sharing: "none",
  turns: undefined,
  calls: undefined,
};
const SCOPE = { agent: "echo", owner: "", taskId: "t" };
const URL = "https://example.com/hook";
const call = callOf({ version: "0.3" });

function sending(
  taskPushNotificationConfig: TaskPushNotificationConfig,
  taskId?: string,
): SendMessageRequest {
  return {
    message: {
      messageId: "m",
      role: "ROLE_USER",
      parts: [{ text: "hi" }],
      ...(taskId !== undefined && { taskId }),
    },
    configuration: { taskPushNotificationConfig },
  };
}

function namingFields(...fields: readonly string[]) {
  return (thrown: unknown): boolean => {
    assert.ok(A2AError.is(thrown) && thrown.reason === "INVALID_PARAMS");
    assert.deepEqual(
      thrown.violations.map(({ field }) => field),
      fields,
    );
    return true;
  };
}

describe("push configs", () => {
  let stores: Stores;
  let configs: PushConfigs;
  let forgotten: PushConfigKey[] = [];
  let violations: readonly FieldViolation[] = [];

  beforeEach(async () => {
    stores = await openStores({ file: ":memory:", log: new RecordedLog(), now: () => 7, keys: [] });
    forgotten = [];
    violations = [];
    let ids = 0;
    configs = new PushConfigs(
      {
        configs: stores.push.configs,
        limit: 3,
        check: () => violations,
        async forget(key) {
          forgotten.push(key);
        },
      },
      { now: () => 7, newId: () => `new-${++ids}` },
    );
    const key = { id: "t", agent: "echo", owner: "", contextId: "c" };
    const listener = { committed: () => undefined, lost: assert.fail };
    const log = new EventLog({ key, store: stores.tasks, listener, sent: undefined });
    log.append({
      task: {
        id: "t",
        contextId: "c",
        status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00.000Z" },
      },
    });
    await log.flushed();
  });
  afterEach(() => stores.close());

  const create = (
    config: Partial<TaskPushNotificationConfig>,
  ): Promise<TaskPushNotificationConfig> =>
    configs.create(agent, { taskId: "t", url: URL, ...config }, call);

  test("a config is kept with the version of the door and what the agent tells", async () => {
    const authentication = { scheme: "Bearer", credentials: "c" };
    const made = await create({ token: "x", authentication });
    assert.deepEqual(made, { taskId: "t", id: "new-1", url: URL, token: "x", authentication });
    const kept = await stores.push.configs.find(SCOPE, "new-1");
    assert.deepEqual(
      [kept?.version, kept?.interest, kept?.since, kept?.createdAt],
      ["0.3", "all", 1, 7],
    );
  });

  test("what is on its way to a config that is replaced is cut, a new one has nothing", async () => {
    await create({});
    assert.deepEqual(forgotten, []);
    await create({ id: "h" });
    assert.deepEqual(forgotten, [{ taskId: "t", id: "h" }]);
  });

  test("what is wrong is told with the path in the request, and nothing is kept", async () => {
    violations = [
      { field: "url", description: "must be https" },
      { field: "authentication.scheme", description: "must be a name" },
    ];
    await assert.rejects(create({}), namingFields("url", "authentication.scheme"));
    const prefix = "configuration.taskPushNotificationConfig";
    await assert.rejects(
      configs.sent(agent, sending({ url: URL }), call),
      namingFields(`${prefix}.url`, `${prefix}.authentication.scheme`),
    );
    assert.deepEqual(await configs.list(SCOPE, { taskId: "t" }), { configs: [] });
  });

  test("a task has no more configs than the limit, unless one takes another's place", async () => {
    for (const id of ["a", "b", "c"]) await create({ id });
    await assert.rejects(create({ id: "d" }), /t has 3 webhooks already/);
    await create({ id: "c", token: "x" });
    const further = configs.sent(agent, sending({ id: "d", url: URL }, "t"), call);
    await assert.rejects(further, namingFields("configuration.taskPushNotificationConfig"));
    const again = await configs.sent(agent, sending({ id: "a", url: URL }, "t"), call);
    assert.equal(again?.id, "a");
  });

  test("a config that comes with a message is of the message's task, or of the one to come", async () => {
    const path = "configuration.taskPushNotificationConfig.taskId";
    const other = sending({ taskId: "u", url: URL }, "t");
    await assert.rejects(configs.sent(agent, other, call), namingFields(path));
    const early = sending({ taskId: "u", url: URL });
    await assert.rejects(configs.sent(agent, early, call), namingFields(path));
    const same = await configs.sent(agent, sending({ taskId: "t", url: URL }, "t"), call);
    assert.equal(same?.taskId, "t");
    const fresh = await configs.sent(agent, sending({ id: "", url: URL, token: "" }), call);
    assert.deepEqual([fresh?.id, fresh?.taskId, fresh?.token], ["new-2", "", undefined]);
    assert.equal(await configs.sent(agent, { message: other.message }, call), undefined);
  });

  test("no name is that of the default one, else of the only one", async () => {
    const unnamed = (): Promise<unknown> => configs.get(SCOPE, { taskId: "t", id: "" });
    await assert.rejects(unnamed(), /no push notification config "default"/);
    const mine = await create({ id: "mine" });
    assert.deepEqual(await unnamed(), mine);
    await create({ id: "a" });
    await assert.rejects(unnamed(), /"default"/);
    const preset = await create({ id: "default" });
    assert.deepEqual(await unnamed(), preset);
  });

  test("pages go on after the last id, and are never larger than the limit", async () => {
    for (const id of ["a", "b", "c"]) await create({ id });
    const page = async (pageSize: number, pageToken = "") => {
      const answer = await configs.list(SCOPE, { taskId: "t", pageSize, pageToken });
      return [answer.configs.map(({ id }) => id), answer.nextPageToken];
    };
    assert.deepEqual(await page(2), [["a", "b"], "b"]);
    assert.deepEqual(await page(2, "b"), [["c"], undefined]);
    assert.deepEqual(await page(1, "b"), [["c"], undefined]);
    assert.deepEqual(await page(0), [["a", "b", "c"], undefined]);
    assert.deepEqual(await page(1000), [["a", "b", "c"], undefined]);
    assert.deepEqual(await page(2, "bb"), [["c"], undefined]);
    await assert.rejects(page(-1), namingFields("pageSize"));
  });

  test("a config is forgotten once it is removed, whether it was there or not", async () => {
    await create({ id: "a" });
    for (const id of ["a", "a"])
      assert.deepEqual(await configs.remove(SCOPE, { taskId: "t", id }), {});
    assert.equal(await stores.push.configs.find(SCOPE, "a"), undefined);
    assert.deepEqual(forgotten.slice(1), [
      { taskId: "t", id: "a" },
      { taskId: "t", id: "a" },
    ]);
  });
});
