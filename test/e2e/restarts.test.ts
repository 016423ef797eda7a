/** One file, more than one life. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { serve, command, temporaryFile } from "../cli/command.ts";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { openDoors, refused } from "../support/doors.ts";
import { runGateway } from "../support/gateway.ts";
import {
  artifact,
  completed,
  inputRequired,
  Puppet,
  says,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import { artifactTexts, asTask, atOnce, drained, messageOf, shortOf, taskIn } from "./requests.ts";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-e2e-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const CONFIG = `
listen: 127.0.0.1:0
database: gateway.db
ops: { listen: off }
agents:
  slow:
    name: Slow
    description: Takes its time
    static:
      rules:
        - when: { text: ask }
          script: [{ status: input-required, message: what? }]
      otherwise: { script: [{ status: working }, { artifact: { text: begun } }, { delay: 1h }] }
`;

// Two processes.
test("a second gateway on the same file is refused, with the file's name, and disturbs nothing", async (t) => {
  const file = await temporaryFile(t, "config.yaml", CONFIG);
  const first = await serve(t, [file]);
  const { code, stderr } = await command(["serve", file]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: .*gateway\.db is in use by another gateway\n$/);
  assert.equal((await fetch(`${first.url}/tasks`)).status, 200);
});

// Working for ever.
test("a task that a kill cut short is failed at the next start, and one that waits goes on waiting", async (t) => {
  const file = await temporaryFile(t, "config.yaml", CONFIG);
  const first = await serve(t, [file]);
  const [door] = openDoors(Number(new URL(first.url).port));
  const cut = taskIn(await door.call("sendMessage", atOnce("go")));
  const asked = taskIn(await door.call("sendMessage", messageOf("ask")));
  while (artifactTexts(asTask(await door.call("getTask", { id: cut.id }))).length === 0);
  first.child.kill("SIGKILL");
  await first.ended;

  const second = await serve(t, [file]);
  const doors = openDoors(Number(new URL(second.url).port));
  for (const reader of doors) {
    const { status, artifacts = [] } = asTask(await reader.call("getTask", { id: cut.id }));
    assert.equal(status.state, "TASK_STATE_FAILED");
    assert.match(JSON.stringify(status.message?.parts), /restart|stopped/);
    assert.equal(artifacts[0]?.parts[0]?.text, "begun");
    const list = await reader.call("listTasks", { status: "TASK_STATE_WORKING" });
    assert.equal(list["totalSize"], 0);
    const waiting = asTask(await reader.call("getTask", { id: asked.id }));
    assert.equal(waiting.status.state, "TASK_STATE_INPUT_REQUIRED");
    const headers = { "last-event-id": "1" };
    const missed = await drained(reader.stream("subscribeToTask", { id: cut.id }, { headers }));
    assert.deepEqual(missed.map(shortOf), ["status WORKING", "artifact begun", "status FAILED"]);
    reader.close();
  }
});

// Subscribing without a producer.
test("a task that waits is followed and answered after a restart", async (t) => {
  const folder = await folderFor(t);
  const handler = new ScriptedHandler(says(working, artifact("draft", "d"), inputRequired));
  const first = await runGateway({ agents: { agent: { handler } }, folder });
  const { id } = taskIn(await first.doors[0].call("sendMessage", messageOf("one")));
  await first.stop();

  handler.script = says(artifact("final", "d"), completed);
  const second = await runGateway({ agents: { agent: { handler } }, folder });
  t.after(() => second.stop());
  const followers = second.doors.map((door) => door.stream("subscribeToTask", { id }));
  for (const follower of followers)
    assert.equal(shortOf((await follower.next()).value as never), "task INPUT_REQUIRED");
  await second.doors[2].call("sendMessage", messageOf("two", { taskId: id }));
  for (const follower of followers)
    assert.deepEqual((await drained(follower)).map(shortOf), [
      "status WORKING",
      "artifact final",
      "status COMPLETED",
    ]);
  const { task } = handler.turns.at(-1) ?? {};
  assert.equal(task?.status.message?.parts[0]?.text, "which one?");
});

// Database is locked.
test("many writers and a long reader share the file without a lock error or a lost event", async (t) => {
  const handler = new ScriptedHandler(says(working, artifact("a"), artifact("b"), completed));
  const gateway = await runGateway({ agents: { agent: { handler } } });
  t.after(() => gateway.stop());
  const contextId = "busy";
  const rounds = Array.from({ length: 100 }, () => gateway.doors).flat();
  const sends = rounds.map((door) => door.call("sendMessage", messageOf("hi", { contextId })));
  const lists = rounds
    .slice(0, 30)
    .map((door) => door.call("listTasks", { pageSize: 100, includeArtifacts: true }));
  for (const answer of await Promise.all(sends))
    assert.deepEqual(artifactTexts(taskIn(answer)), ["a", "b"]);
  await Promise.all(lists);
  const { totalSize } = await gateway.doors[0].call("listTasks", { contextId });
  assert.equal(totalSize, 300);
  assert.deepEqual(gateway.log.errors, []);
});

// Tasks kept for ever.
test("purged tasks are gone on every door, for every operation, and lists stay whole", async (t) => {
  const folder = await folderFor(t);
  const handler = new ScriptedHandler(says(completed));
  const first = await runGateway({ agents: { agent: { handler } }, folder });
  const ended: string[] = [];
  for (let n = 0; n < 5; n++)
    ended.push(taskIn(await first.doors[0].call("sendMessage", messageOf("hi"))).id);
  handler.script = says(inputRequired);
  const { id: waiting } = taskIn(await first.doors[0].call("sendMessage", messageOf("hi")));
  const page = await first.doors[0].call("listTasks", { pageSize: 2 });
  await first.stop();

  const store = await openTaskStore({ file: first.database });
  const limits = { entriesBefore: undefined, unfinishedBefore: undefined };
  const { tasks } = await store.purge({ ...limits, finishedBefore: Date.now() + 1000 }, 100);
  assert.equal(tasks, 5);
  for (const table of ["task_events", "sent_messages"]) {
    const rows = await store.knex(table).whereIn("task_id", ended);
    assert.equal(rows.length, 0, table);
  }
  await store.close();

  const second = await runGateway({ agents: { agent: { handler } }, folder });
  t.after(() => second.stop());
  const [id = ""] = ended;
  for (const door of second.doors) {
    await refused(door, door.call("getTask", { id }), "TASK_NOT_FOUND");
    await refused(door, door.call("cancelTask", { id }), "TASK_NOT_FOUND");
    await refused(door, drained(door.stream("subscribeToTask", { id })), "TASK_NOT_FOUND");
    const { tasks, totalSize } = await door.call("listTasks", {});
    assert.deepEqual(
      [(tasks as { id: string }[]).map((task) => task.id), totalSize],
      [[waiting], 1],
    );
    const next = await door.call("listTasks", { pageToken: page["nextPageToken"] });
    assert.deepEqual([next["tasks"], next["nextPageToken"]], [[], ""]);
  }
});

// A second answer, a throw after the answer.
test("a start on a file that is no database fails with its name, and leaves it as it was", async (t) => {
  const file = await temporaryFile(t, "config.yaml", CONFIG);
  const path = join(file, "..", "gateway.db");
  await writeFile(path, "not a database, by far\n".repeat(100));
  const { code, stderr } = await command(["serve", file]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: .*\n$/);
});

test("agents at work when the gateway stops are told, and their tasks fail rather than hang", async () => {
  const agent = new Puppet();
  const handler = new ScriptedHandler(agent.script);
  const gateway = await runGateway({ agents: { agent: { handler } } });
  agent.say(working);
  await gateway.doors[0].call("sendMessage", atOnce("hi"));
  await gateway.stop();
  assert.equal(handler.turns[0]?.signal.aborted, true);
});
