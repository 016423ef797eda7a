import assert from "node:assert/strict";
import { test } from "node:test";
import { adminApi } from "./admin-api.ts";

const FOUND = {
  id: "t-1",
  agent: "weather",
  owner: "",
  contextId: "c-1",
  state: "TASK_STATE_INPUT_REQUIRED",
  timestamp: "2026-01-31T12:00:00.000Z",
  createdAt: "2026-01-31T11:00:00.000Z",
  generation: 3,
  upstream: { taskId: "r-1" },
};

const TASK = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2026-01-31T12:00:00.000Z" },
  artifacts: [{ artifactId: "a", name: "out", parts: [{ text: "so far\u001b[2J" }] }],
};

test("admin tasks lists what it is asked for, and says how to go on", async (t) => {
  const line =
    "GET /admin/tasks?agent=weather&owner=&contextId=c-1&state=input-required" +
    "&from=2026-01-01T00%3A00%3A00Z&before=2026-02-01T00%3A00%3A00%2B01%3A00&id=t-1&pageSize=1";
  const api = await adminApi(t, { [line]: { body: { tasks: [FOUND], nextPageToken: "n" } } });
  const { code, stdout, stderr } = await api.run(
    [
      "admin tasks --agent weather --owner= --context c-1 --state input-required",
      "--from 2026-01-01T00:00:00Z --before 2026-02-01T00:00:00+01:00 --id t-1 --limit 1",
    ].flatMap((words) => words.split(" ")),
  );
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(stdout.split("\n"), [
    "ID   AGENT    STATE           TIME                      OWNER  CONTEXT",
    "t-1  weather  input-required  2026-01-31T12:00:00.000Z  -      c-1",
    "more: --page-token n",
    "",
  ]);
});

test("admin tasks list goes on from a page token, and prints the raw answer with --json", async (t) => {
  const body = { tasks: [FOUND] };
  const api = await adminApi(t, { "GET /admin/tasks?pageToken=n": { body } });
  const { stdout } = await api.run(["admin", "tasks", "list", "--page-token", "n", "--json"]);
  assert.deepEqual(JSON.parse(stdout), body);
});

test("admin tasks get shows what the gateway knows of a task, and the task", async (t) => {
  const body = { ...FOUND, owner: "bob", task: TASK };
  const api = await adminApi(t, { "GET /admin/tasks/t-1": { body } });
  const { stdout } = await api.run(["admin", "tasks", "get", "t-1"]);
  assert.deepEqual(stdout.split("\n"), [
    "agent weather",
    "owner bob",
    "created 2026-01-31T11:00:00.000Z",
    "changed 2026-01-31T12:00:00.000Z",
    "generation 3",
    "upstream r-1",
    "task t-1  input-required",
    "context c-1",
    "artifact out",
    "so far\\x1b[2J",
    "",
  ]);
});

const STATUS = {
  taskId: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_WORKING", message: { messageId: "m", parts: [{ text: "hm" }] } },
};
const EVENTS = [
  { generation: 1, event: { task: TASK, history: [] } },
  { generation: 2, event: { statusUpdate: STATUS } },
  { generation: 3, event: { artifactUpdate: { taskId: "t-1", artifact: TASK.artifacts[0] } } },
];
const PAGES = {
  "GET /admin/tasks/t-1/events?after=0&pageSize=200": {
    body: { events: EVENTS.slice(0, 2), nextAfter: 2 },
  },
  "GET /admin/tasks/t-1/events?after=2&pageSize=200": { body: { events: EVENTS.slice(2) } },
};

test("admin tasks events shows everything that happened, page after page", async (t) => {
  const api = await adminApi(t, PAGES);
  const { stdout, stderr } = await api.run(["admin", "tasks", "events", "t-1"]);
  assert.equal(stderr, "");
  assert.deepEqual(stdout.split("\n"), [
    "1  task t-1  input-required",
    "context c-1",
    "artifact out",
    "so far\\x1b[2J",
    "2  working",
    "hm",
    "3  artifact out",
    "so far\\x1b[2J",
    "",
  ]);
});

test("admin tasks events prints an event a line with --json, from a generation on", async (t) => {
  const api = await adminApi(t, PAGES);
  const args = ["admin", "tasks", "events", "t-1", "--after", "2", "--json"];
  const { stdout } = await api.run(args);
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
    EVENTS.slice(2),
  );
});

test("admin tasks cancel shows the task as it then is", async (t) => {
  const canceled = { ...TASK, status: { state: "TASK_STATE_CANCELED" }, artifacts: [] };
  const api = await adminApi(t, { "POST /admin/tasks/t-1/cancel": { body: canceled } });
  const { stdout } = await api.run(["admin", "tasks", "cancel", "t-1"]);
  assert.equal(stdout, "task t-1  canceled\ncontext c-1\n");
});

test("a task that is not there is an error answer, exit code 1", async (t) => {
  const error = { code: "TASK_NOT_FOUND", message: "no task t-1" };
  const api = await adminApi(t, { "GET /admin/tasks/t-1": { status: 404, body: { error } } });
  assert.deepEqual(await api.run(["admin", "tasks", "get", "t-1"]), {
    code: 1,
    stdout: "",
    stderr: "error: TASK_NOT_FOUND: no task t-1\n",
  });
});
