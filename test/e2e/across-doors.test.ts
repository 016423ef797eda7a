/** One task, six doors: what begins on one of them is read, followed, continued and cancelled on any other. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { completed, inputRequired, ScriptedHandler } from "../support/scripted-handler.ts";
import { DOOR_NAMES } from "./door-names.ts";
import { sixDoors, type Event, type Said, type SixthDoor } from "./six-doors.ts";

const PARTS = [
  { text: "hällo" },
  { raw: "AP/+gAo=", mediaType: "application/octet-stream", filename: "bytes.bin" },
  { url: "https://example.com/a.txt", mediaType: "text/plain", filename: "a.txt" },
  { data: { deep: [1, null, "x", { y: true }] } },
];

/** What every door has to say of those parts. */
const SEEN = [
  { text: "hällo" },
  { bytes: "AP/+gAo=", type: "application/octet-stream", name: "bytes.bin" },
  { url: "https://example.com/a.txt", type: "text/plain", name: "a.txt" },
  { data: { deep: [1, null, "x", { y: true }] } },
];

/** Asks back at first, and is done with the answer. */
async function* ask(turn: Turn): AsyncIterable<HandlerEvent> {
  const [part] = turn.message.parts;
  const artifactId = part?.text === "begin" ? "first" : "second";
  yield { kind: "artifact", artifact: { artifactId, parts: PARTS } };
  yield artifactId === "first" ? inputRequired : completed;
}

describe("across doors", () => {
  let gateway: RunningGateway;
  let doors: readonly SixthDoor[];
  let messages = 0;

  before(async () => {
    gateway = await runGateway({ agents: { agent: { handler: new ScriptedHandler(ask) } } });
    doors = sixDoors(gateway.port);
  });
  after(async () => {
    for (const door of doors) door.close();
    await gateway.stop();
    assert.deepEqual(gateway.log.errors, []);
  });

  const doorOf = (name: string): SixthDoor => {
    const door = doors.find((each) => each.name === name);
    assert(door, name);
    return door;
  };
  const saying = (text: string, taskId?: string): Said => {
    messages += 1;
    return { messageId: `m-${messages}`, text, ...(taskId !== undefined && { taskId }) };
  };

  for (const one of DOOR_NAMES)
    for (const other of DOOR_NAMES) {
      test(`a task of ${one} is read, followed and continued on ${other}`, async () => {
        const [a, b] = [doorOf(one), doorOf(other)];
        const begun = await a.send(saying("begin"));
        assert.equal(begun.state, "input-required");
        assert.deepEqual(begun.said, [{ text: "which one?" }]);
        assert.deepEqual(begun.artifacts, [{ id: "first", parts: SEEN }]);
        assert.deepEqual(begun.history, [{ by: "user", parts: [{ text: "begin" }] }]);
        assert.deepEqual(await b.get(begun.id), begun);

        const following = b.subscribe(begun.id);
        const first = await following.next();
        assert.deepEqual(first.value, { kind: "task", task: begun });
        const ended = await b.send(saying("go on", begun.id));
        const events: Event[] = [];
        for await (const event of following) events.push(event);

        assert.equal(ended.id, begun.id);
        assert.equal(ended.contextId, begun.contextId);
        assert.equal(ended.state, "completed");
        assert.deepEqual(
          ended.artifacts.map(({ id }) => id),
          ["first", "second"],
        );
        assert.deepEqual(
          ended.history.map(({ by, parts }) => [by, parts]),
          [
            ["user", [{ text: "begin" }]],
            ["agent", [{ text: "which one?" }]],
            ["user", [{ text: "go on" }]],
          ],
        );
        assert.deepEqual(await a.get(begun.id), ended);
        assert.deepEqual(events.at(-1), { kind: "status", id: begun.id, state: "completed" });
        const artifacts = events.filter(({ kind }) => kind === "artifact");
        assert.deepEqual(artifacts, [{ kind: "artifact", id: "second", parts: SEEN }]);
      });

      test(`a task that ${one} streams is cancelled on ${other}`, async () => {
        const [a, b] = [doorOf(one), doorOf(other)];
        const events: Event[] = [];
        for await (const event of a.stream(saying("begin"))) events.push(event);
        const [first] = events;
        assert(first?.kind === "task");
        const { id, contextId } = first.task;
        assert.deepEqual(events.at(-1), { kind: "status", id, state: "input-required" });

        const canceled = await b.cancel(id);
        assert.equal(canceled.state, "canceled");
        assert.equal(canceled.contextId, contextId);
        assert.deepEqual(await a.get(id), canceled);
      });
    }
});
