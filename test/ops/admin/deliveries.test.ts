import assert from "node:assert/strict";
import { test } from "node:test";
import { errorIn, startAdmin } from "../support/admin-client.ts";

interface DeliveryPage {
  readonly deliveries: readonly { readonly generation: number }[];
  readonly nextPageToken?: string;
}

test("a delivery is answered with instants in ISO 8601", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("GET", "/admin/deliveries?state=dead");
  assert.deepEqual(body, {
    deliveries: [
      {
        taskId: "task-1",
        configId: "hook/1",
        agent: "echo",
        owner: "",
        url: "https://hooks.example/",
        generation: 1,
        state: "dead",
        attempts: 8,
        dueAt: "2026-01-31T12:00:00.000Z",
        createdAt: "2026-01-31T12:00:00.000Z",
        updatedAt: "2026-01-31T12:00:00.000Z",
        problem: "HTTP 500; given up after 8 tries",
      },
    ],
  });
});

test("every parameter reaches the port, and pages follow one another", async (t) => {
  const { call, ports } = await startAdmin(t);
  const filters = "state=due&task=task-1&config=hook%2F1&agent=echo&pageSize=1";
  const first = (await call("GET", `/admin/deliveries?${filters}`)).body as DeliveryPage;
  const path = `/admin/deliveries?${filters}&pageToken=${first.nextPageToken}`;
  const second = (await call("GET", path)).body as DeliveryPage;
  assert.deepEqual(
    [first, second].map(({ deliveries }) => deliveries[0]?.generation),
    [2, 3],
  );
  assert.equal(second.nextPageToken, undefined);
  assert.deepEqual(ports.deliveryQueries[1], {
    state: "due",
    taskId: "task-1",
    configId: "hook/1",
    agent: "echo",
    after: { taskId: "task-1", id: "hook/1", generation: 2 },
    limit: 2,
  });
});

test("the counts say since when the oldest waits", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("GET", "/admin/deliveries/counts");
  const sent = { delivered: 9, failed: 3, dead: 1, gone: 0 };
  assert.deepEqual(body, { due: 2, dead: 1, sent, oldestDueAt: "2026-01-31T12:00:00.000Z" });
});

test("dead deliveries are made due again: those that are named, or all", async (t) => {
  const { call, ports } = await startAdmin(t);
  const which = { task: "task-1", config: "hook/1", agent: "echo", generation: 1 };
  for (const body of [which, {}, undefined]) {
    const answer = await call("POST", "/admin/deliveries/redrive", { body });
    assert.deepEqual(answer.body, { redriven: 1 });
  }
  const all = { taskId: undefined, configId: undefined, agent: undefined, generation: undefined };
  assert.deepEqual(ports.redriven, [
    { taskId: "task-1", configId: "hook/1", agent: "echo", generation: 1 },
    all,
    all,
  ]);
});

test("what no member of a redrive can be is named, and nothing is made due", async (t) => {
  const { call, ports } = await startAdmin(t);
  const wrong: readonly (readonly [object, string])[] = [
    [{ task: 1 }, "task must be of type string"],
    [{ generation: "1" }, "generation must be of type integer"],
    [{ generation: 1.5 }, "generation must be a whole number from 1 to 9007199254740991"],
    [{ generation: 0 }, "generation must be a whole number from 1 to 9007199254740991"],
    [{ agent: null }, "agent must be of type string"],
    [{ taskId: "task-1" }, "taskId is not known here"],
    [{ task: "" }, "task must have 1 to 1024 characters"],
  ];
  for (const [body, message] of wrong) {
    const answer = await call("POST", "/admin/deliveries/redrive", { body });
    assert.equal(answer.status, 400);
    assert.equal(errorIn(answer).message, message);
  }
  assert.deepEqual(ports.redriven, []);
});

test("a webhook is paused and resumed, its id as it is in the path", async (t) => {
  const { call } = await startAdmin(t);
  for (const [what, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    const { body } = await call("POST", `/admin/webhooks/task-1/hook%2F1/${what}`);
    assert.deepEqual(body, { taskId: "task-1", configId: "hook/1", isPaused });
    const unknown = await call("POST", `/admin/webhooks/task-1/hook+1/${what}`);
    assert.equal(unknown.status, 404);
    assert.equal(errorIn(unknown).message, "no webhook hook+1 of task task-1");
  }
});
