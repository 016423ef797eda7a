/** A remote agent behind the gateway, in each version and binding that it may speak, through all six doors. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { completed, inputRequired, ScriptedHandler } from "../support/scripted-handler.ts";
import { sixDoors, type Event, type Said, type SixthDoor } from "./six-doors.ts";

const PARTS = [
  { text: "hällo" },
  { raw: "AP/+gAo=", mediaType: "application/octet-stream", filename: "bytes.bin" },
  { url: "https://example.com/a.txt", mediaType: "text/plain", filename: "a.txt" },
  { data: { deep: [1, null, "x", { y: true }] } },
];
const SEEN = [
  { text: "hällo" },
  { bytes: "AP/+gAo=", type: "application/octet-stream", name: "bytes.bin" },
  { url: "https://example.com/a.txt", type: "text/plain", name: "a.txt" },
  { data: { deep: [1, null, "x", { y: true }] } },
];

async function* ask(turn: Turn): AsyncIterable<HandlerEvent> {
  const text = turn.message.parts[0]?.text;
  if (text === "hello") {
    yield { kind: "message", message: { parts: [{ text: "hello back" }] } };
    return;
  }
  const artifactId = text === "begin" ? "first" : "second";
  yield { kind: "artifact", artifact: { artifactId, parts: PARTS } };
  yield artifactId === "first" ? inputRequired : completed;
}

const handler = new ScriptedHandler(ask);

for (const version of ["1.0", "0.3"] as const)
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] as const)
    describe(`an agent that speaks ${version} over ${binding}`, () => {
      let remote: RunningGateway;
      let gateway: RunningGateway;
      let doors: readonly SixthDoor[];
      let messages = 0;

      before(async () => {
        remote = await runGateway({ agents: { remote: { handler } } });
        const url = `http://127.0.0.1:${remote.port}`;
        const upstream = { url, version, binding, health: { interval: "off" } };
        gateway = await runGateway({ agents: { agent: { settings: { upstream } } } });
        doors = sixDoors(gateway.port);
      });
      after(async () => {
        for (const door of doors) door.close();
        await gateway.stop();
        await remote.stop();
        assert.deepEqual(gateway.log.errors, []);
        assert.deepEqual(remote.log.errors, []);
      });

      const saying = (text: string, taskId?: string): Said => {
        messages += 1;
        return { messageId: `m-${messages}`, text, ...(taskId !== undefined && { taskId }) };
      };

      for (const index of [0, 1, 2, 3, 4, 5])
        test(`is reached through door ${index}`, async () => {
          const door = doors[index];
          assert(door);
          const begun = await door.send(saying("begin"));
          assert.equal(begun.state, "input-required");
          assert.deepEqual(begun.said, [{ text: "which one?" }]);
          assert.deepEqual(begun.artifacts, [{ id: "first", parts: SEEN }]);
          assert.deepEqual(begun.history, [{ by: "user", parts: [{ text: "begin" }] }]);
          assert.deepEqual(await door.get(begun.id), begun);

          const following = door.subscribe(begun.id);
          await following.next();
          const ended = await door.send(saying("go on", begun.id));
          const events: Event[] = [];
          for await (const event of following) events.push(event);
          assert.equal(ended.state, "completed");
          assert.deepEqual(
            ended.artifacts.map(({ id }) => id),
            ["first", "second"],
          );
          assert.deepEqual(
            ended.history.map(({ by }) => by),
            ["user", "agent", "user"],
          );
          assert.deepEqual(events.at(-1), { kind: "status", id: begun.id, state: "completed" });
          assert.deepEqual(
            events.filter(({ kind }) => kind === "artifact"),
            [{ kind: "artifact", id: "second", parts: SEEN }],
          );
        });

      test("streams, and is cancelled where it works", async () => {
        const [door] = doors;
        assert(door);
        const events: Event[] = [];
        for await (const event of door.stream(saying("begin"))) events.push(event);
        assert.deepEqual(
          events.map(({ kind }) => kind),
          ["task", "artifact", "status"],
        );
        const [first] = events;
        assert(first?.kind === "task");
        const canceled = await door.cancel(first.task.id);
        assert.equal(canceled.state, "canceled");
        const states = await remote.doors[0].call("listTasks", { status: "TASK_STATE_CANCELED" });
        assert.equal(states["totalSize"], 1);
      });

      test("answers with a message that makes no task", async () => {
        const request = {
          message: { messageId: "hello", role: "ROLE_USER", parts: [{ text: "hello" }] },
        };
        const { message } = await gateway.doors[0].call("sendMessage", request);
        assert.deepEqual((message as { parts: unknown }).parts, [{ text: "hello back" }]);
      });
    });
