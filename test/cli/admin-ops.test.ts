/** The commands for operators against the Admin API itself: what one says, the other understands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmin } from "../ops/support/admin-client.ts";
import { command, temporaryFile } from "./command.ts";

/** What a command shows on its standard output, and there alone. */
const SHOWN: readonly (readonly [args: string, shown: RegExp])[] = [
  ["agents list", /^echo +static +configured +primary +- +- +1 +Echo$/m],
  ["agents inspect weather", /^upstream +up, card of 2026-01-31T12:00:00.000Z$/m],
  ["agents upstreams", /^weather +up +HTTP\+JSON +0.3 +- +half-open +- +https:/m],
  ["agents disable weather", /^disabled weather\n$/],
  ["agents enable weather", /^enabled weather\n$/],
  ["agents refresh weather", /^agent +weather$/m],
  ["agents remove weather", /^removed weather\n$/],
  ["agents reload", /^added: news\nremoved: old\nfrom the next start: listen\n$/],
  ["admin tasks --owner ann --state working", /^ID .*\ntask-3 +echo +working .* ann +context\n$/],
  ["admin tasks --owner= --limit 1", /\nmore: --page-token \S+\n$/],
  ["admin tasks --id remote-2", /^task-2 +weather +completed /m],
  ["admin tasks get task-2", /^upstream remote-2\ntask task-2 {2}completed\ncontext context\n$/m],
  ["admin tasks events task-1", /\n2 {2}working\n3 {2}artifact a\nhello\n$/],
  ["admin tasks cancel task-1", /^task task-1 {2}canceled\n/],
  ["deliveries list --state dead", /^task-1 +hook\/1 +1 +dead +8 .* given up after 8 tries$/m],
  [
    "deliveries counts",
    /^due +2, the oldest since 2026-01-31T12:00:00.000Z\ndead +1\nsent +9 .*\n$/,
  ],
  ["deliveries redrive --task task-1 --generation 1", /^1 due again\n$/],
  ["deliveries redrive --all", /^1 due again\n$/],
  ["deliveries pause task-1 hook/1", /^paused hook\/1 of task-1\n$/],
  ["deliveries resume task-1 hook/1", /^resumed hook\/1 of task-1\n$/],
];

for (const [args, shown] of SHOWN)
  test(`${args} is understood`, async (t) => {
    const { port } = await startAdmin(t);
    const { code, stdout, stderr } = await run(port, args.split(" "));
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, shown);
  });

/** What a command cannot have is told on standard error, exit code 1. */
const REFUSED: readonly (readonly [args: string, told: string])[] = [
  ["agents inspect nobody", 'error: NOT_FOUND: no agent "nobody"\n'],
  ["agents remove echo", "error: CONFLICT: agent echo stands in the configuration\n"],
  ["agents disable echo", "error: CONFLICT: agent echo is the primary agent\n"],
  ["admin tasks get task-9", "error: TASK_NOT_FOUND: no task task-9\n"],
  ["admin tasks cancel task-2", "error: TASK_NOT_CANCELABLE: task task-2 has ended\n"],
  [
    "admin tasks events task-2",
    "error: GONE: the log of task task-2 no longer reaches back to 0\n",
  ],
  ["deliveries pause task-1 other", "error: NOT_FOUND: no webhook other of task task-1\n"],
];

for (const [args, told] of REFUSED)
  test(`${args} is refused`, async (t) => {
    const { port } = await startAdmin(t);
    assert.deepEqual(await run(port, args.split(" ")), { code: 1, stdout: "", stderr: told });
  });

test("every parameter that is wrong is told on a line of its own", async (t) => {
  const { port } = await startAdmin(t);
  const { code, stderr } = await run(port, ["admin", "tasks", "--state", "bored", "--from", "x"]);
  assert.equal(code, 1);
  assert.match(stderr, /^state: .*working.*\nfrom: .+\n$/);
});

test("an agent is added, changed, and refused with the places in its file", async (t) => {
  const { port } = await startAdmin(t);
  const good = await temporaryFile(t, "news.yaml", "name: News\nstatic: {}\n");
  const bad = await temporaryFile(t, "news.yaml", "static: {}\n");
  assert.match((await run(port, ["agents", "add", "news", good])).stdout, /^added news\n/);
  assert.match((await run(port, ["agents", "add", "news", good])).stdout, /^changed news\n/);
  assert.deepEqual(await run(port, ["agents", "add", "news", bad]), {
    code: 1,
    stdout: "",
    stderr: `${bad}:1:1: name: missing, expected text\n${bad}:1:1: description: missing, expected text\n`,
  });
});

test("the token opens the door, and without it the refusal says so", async (t) => {
  const { port } = await startAdmin(t, {
    access: { token: "secret", isLoopback: false, callers: undefined },
  });
  const refused = await run(port, ["agents", "list"]);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^error: UNAUTHENTICATED: /);
  assert.equal((await run(port, ["agents", "list", "--token", "secret"])).code, 0);
});

function run(port: number, args: readonly string[]) {
  return command(args, undefined, { A2A_GATEWAY_ADMIN: `http://127.0.0.1:${port}` });
}
