import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskSearch } from "../../../src/core/ports/task-search.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";
import { errorIn, startAdmin, type AdminAnswer } from "../support/admin-client.ts";
import { scriptedPorts, T0 } from "../support/scripted-ports.ts";

interface TaskPage {
  readonly tasks: readonly { readonly id: string }[];
  readonly nextPageToken?: string;
}
const pageIn = ({ body }: AdminAnswer): TaskPage => body as TaskPage;

const EVERY: TaskSearch = {
  agent: undefined,
  owner: undefined,
  contextId: undefined,
  state: undefined,
  from: undefined,
  before: undefined,
  id: undefined,
  after: undefined,
  limit: 51,
};

test("a search without parameters asks for every task, fifty and one more", async (t) => {
  const { call, ports } = await startAdmin(t);
  const { tasks, nextPageToken } = pageIn(await call("GET", "/admin/tasks"));
  assert.deepEqual(ports.searches, [EVERY]);
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ["task-3", "task-2", "task-1"],
  );
  assert.equal(nextPageToken, undefined);
  assert.deepEqual(tasks[1], {
    id: "task-2",
    agent: "weather",
    owner: "",
    contextId: "context",
    state: "TASK_STATE_COMPLETED",
    timestamp: "2026-01-31T12:02:00.000Z",
    createdAt: "2026-01-31T12:00:00.000Z",
    generation: 3,
    upstream: { taskId: "remote-2" },
  });
});

test("every parameter of a search reaches the archive", async (t) => {
  const { call, ports } = await startAdmin(t);
  const query = new URLSearchParams({
    agent: "echo",
    owner: "ann",
    contextId: "c 1",
    state: "input-required",
    from: "2026-01-31T12:00:00Z",
    before: "2026-01-31T14:00:00.5+01:00",
    id: "task-3",
    pageSize: "200",
  });
  assert.equal((await call("GET", `/admin/tasks?${query.toString()}`)).status, 200);
  assert.deepEqual(ports.searches, [
    {
      agent: "echo",
      owner: "ann",
      contextId: "c 1",
      state: "TASK_STATE_INPUT_REQUIRED",
      from: T0,
      before: T0 + 3_600_500,
      id: "task-3",
      after: undefined,
      limit: 201,
    },
  ]);
});

test("an empty owner is that of callers who were not asked who they are", async (t) => {
  const { call } = await startAdmin(t);
  const { tasks } = pageIn(await call("GET", "/admin/tasks?owner="));
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ["task-2", "task-1"],
  );
});

test("a state has its name in 1.0 and a short one", async (t) => {
  const { call, ports } = await startAdmin(t);
  const states = TASK_STATES.filter((state) => state !== "TASK_STATE_UNSPECIFIED");
  for (const state of states) {
    const short = state.slice("TASK_STATE_".length).toLowerCase().replaceAll("_", "-");
    for (const name of [state, short])
      assert.equal((await call("GET", `/admin/tasks?state=${name}`)).status, 200, name);
  }
  assert.deepEqual(
    ports.searches.map(({ state }) => state),
    states.flatMap((state) => [state, state]),
  );
});

test("pages follow one another until all tasks were there", async (t) => {
  const { call, ports } = await startAdmin(t);
  const first = pageIn(await call("GET", "/admin/tasks?pageSize=2"));
  assert.deepEqual(
    first.tasks.map(({ id }) => id),
    ["task-3", "task-2"],
  );
  const next = pageIn(
    await call("GET", `/admin/tasks?pageSize=2&pageToken=${first.nextPageToken}`),
  );
  assert.deepEqual(
    next.tasks.map(({ id }) => id),
    ["task-1"],
  );
  assert.equal(next.nextPageToken, undefined);
  assert.deepEqual(ports.searches[1]?.after, { timestamp: T0 + 120_000, id: "task-2" });
});

test("a task is found by its id at its remote agent", async (t) => {
  const { call } = await startAdmin(t);
  const { tasks } = pageIn(await call("GET", "/admin/tasks?id=remote-2"));
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ["task-2"],
  );
});

test("one task comes with everything in it, and whose it is", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("GET", "/admin/tasks/task-3");
  assert.deepEqual(body, {
    id: "task-3",
    agent: "echo",
    owner: "ann",
    contextId: "context",
    state: "TASK_STATE_WORKING",
    timestamp: "2026-01-31T12:03:00.000Z",
    createdAt: "2026-01-31T12:00:00.000Z",
    generation: 3,
    task: {
      id: "task-3",
      contextId: "context",
      status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-31T12:03:00.000Z" },
    },
  });
});

test("the events of a task come in pages, and the last one says so", async (t) => {
  const { call } = await startAdmin(t);
  const events = async (query: string) =>
    (await call("GET", `/admin/tasks/task-1/events?${query}`)).body as {
      readonly events: readonly { readonly generation: number; readonly event: object }[];
      readonly nextAfter?: number;
    };
  const first = await events("pageSize=2");
  assert.deepEqual(
    first.events.map(({ generation }) => generation),
    [1, 2],
  );
  assert.deepEqual(first.events[1]?.event, {
    statusUpdate: {
      taskId: "task-1",
      contextId: "context",
      status: { state: "TASK_STATE_WORKING" },
    },
  });
  assert.equal(first.nextAfter, 2);
  const last = await events("pageSize=2&after=2");
  assert.deepEqual(
    last.events.map(({ generation }) => generation),
    [3],
  );
  assert.equal(last.nextAfter, undefined);
  assert.deepEqual(await events("after=3"), { events: [] });
});

test("a page of events that the archive cut short for its size is not taken for the last", async (t) => {
  const ports = scriptedPorts();
  const tasks = {
    ...ports.tasks,
    entries: (id: string, after: number) => ports.tasks.entries(id, after, 1),
  };
  const { call } = await startAdmin(t, { tasks });
  const { body } = await call("GET", "/admin/tasks/task-1/events");
  assert.equal((body as { readonly nextAfter?: number }).nextAfter, 1);
});

test("events that are no longer kept are 410, those of no task 404", async (t) => {
  const { call } = await startAdmin(t);
  const dropped = await call("GET", "/admin/tasks/task-2/events?after=1");
  assert.equal(dropped.status, 410);
  assert.deepEqual(errorIn(dropped), {
    code: "GONE",
    message: "the log of task task-2 no longer reaches back to 1",
  });
  assert.equal((await call("GET", "/admin/tasks/task-9/events")).status, 404);
});

test("a task is cancelled as its owner would cancel it", async (t) => {
  const { call } = await startAdmin(t);
  const { status, body } = await call("POST", "/admin/tasks/task-3/cancel");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id: "task-3",
    contextId: "context",
    status: { state: "TASK_STATE_CANCELED" },
  });
});

test("a task among many that have its id at remote agents is cancelled all the same", async (t) => {
  const ports = scriptedPorts();
  const [other] = await ports.tasks.search({ ...EVERY, id: "task-2" });
  assert.ok(other);
  const tasks = { ...ports.tasks, search: async () => [other] };
  const { call } = await startAdmin(t, { tasks });
  assert.equal((await call("POST", "/admin/tasks/task-1/cancel")).status, 200);
});

test("a task that has ended is not cancelled", async (t) => {
  const { call } = await startAdmin(t);
  const answer = await call("POST", "/admin/tasks/task-2/cancel");
  assert.equal(answer.status, 400);
  assert.equal(errorIn(answer).code, "TASK_NOT_CANCELABLE");
});

test("a task that nobody has is 404 on every route", async (t) => {
  const { call } = await startAdmin(t);
  for (const [method, path] of [
    ["GET", "/admin/tasks/nothing"],
    ["GET", "/admin/tasks/nothing/events"],
    ["POST", "/admin/tasks/nothing/cancel"],
    ["GET", "/admin/tasks/remote-2"],
  ] as const) {
    const answer = await call(method, path);
    assert.equal(answer.status, 404, path);
    assert.equal(errorIn(answer).code, "TASK_NOT_FOUND");
  }
});
