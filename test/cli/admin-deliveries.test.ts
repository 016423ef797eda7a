import assert from "node:assert/strict";
import { test } from "node:test";
import { adminApi } from "./admin-api.ts";
import { command } from "./command.ts";

const DEAD = {
  taskId: "t-1",
  configId: "c-1",
  agent: "weather",
  owner: "",
  url: "https://h.example/\u001b[2J",
  generation: 3,
  state: "dead",
  attempts: 8,
  dueAt: "2026-01-31T12:00:00.000Z",
  problem: "HTTP 500",
};

test("deliveries list shows what it is asked for", async (t) => {
  const line =
    "GET /admin/deliveries?state=dead&agent=weather&task=t-1&config=c-1&pageSize=5&pageToken=n";
  const body = { deliveries: [DEAD], nextPageToken: "o" };
  const api = await adminApi(t, { [line]: { body } });
  const { stdout, stderr } = await api.run(
    "deliveries list --state dead --agent weather --task t-1 --config c-1 --limit 5 --page-token n".split(
      " ",
    ),
  );
  assert.equal(stderr, "");
  assert.deepEqual(stdout.split("\n"), [
    "TASK  CONFIG  GENERATION  STATE  ATTEMPTS  DUE                       URL                        PROBLEM",
    "t-1   c-1     3           dead   8         2026-01-31T12:00:00.000Z  https://h.example/\\x1b[2J  HTTP 500",
    "more: --page-token o",
    "",
  ]);
});

test("deliveries counts tells how many are due, since when, how many are dead, and what was sent", async (t) => {
  const sent = { delivered: 9, failed: 3, dead: 1, gone: 0 };
  const body = { due: 3, dead: 1, sent, oldestDueAt: "2026-01-31T12:00:00.000Z" };
  const api = await adminApi(t, { "GET /admin/deliveries/counts": { body } });
  const { stdout } = await api.run(["deliveries", "counts"]);
  assert.deepEqual(stdout.split("\n"), [
    "due   3, the oldest since 2026-01-31T12:00:00.000Z",
    "dead  1",
    "sent  9 since the start, and 3 tries that failed",
    "",
  ]);
});

const REDRIVE = "POST /admin/deliveries/redrive";

test("deliveries redrive says how many are due again", async (t) => {
  const api = await adminApi(t, { [REDRIVE]: { body: { redriven: 1 } } });
  const { stdout } = await api.run(
    "deliveries redrive --task t-1 --config c-1 --agent weather --generation 3".split(" "),
  );
  assert.equal(stdout, "1 due again\n");
  assert.deepEqual(api.asked[0]?.body, {
    task: "t-1",
    config: "c-1",
    agent: "weather",
    generation: 3,
  });
});

test("deliveries redrive takes everything when it is told so", async (t) => {
  const api = await adminApi(t, { [REDRIVE]: { body: { redriven: 12 } } });
  assert.equal((await api.run(["deliveries", "redrive", "--all"])).stdout, "12 due again\n");
  assert.deepEqual(api.asked[0]?.body, {});
});

for (const args of [[], ["--all", "--agent", "weather"]])
  test(`deliveries redrive ${args.join(" ")} is wrong usage`, async () => {
    const { code, stderr } = await command(["deliveries", "redrive", ...args]);
    assert.equal(code, 2);
    assert.match(stderr, /expected --all, or options that say which deliveries/);
  });

for (const verb of ["pause", "resume"])
  test(`deliveries ${verb} names the webhook by its task and its id`, async (t) => {
    const line = `POST /admin/webhooks/t-1/c%2F1/${verb}`;
    const api = await adminApi(t, { [line]: { body: { taskId: "t-1", configId: "c/1" } } });
    const { stdout, stderr } = await api.run(["deliveries", verb, "t-1", "c/1"]);
    assert.deepEqual([stdout, stderr], [`${verb}d c/1 of t-1\n`, ""]);
  });
