/** How many streams may be open, on every door, and whether each gives back its place however it ends. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { Puppet, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { DOOR_NAMES } from "./door-names.ts";
import { ask, limitStage, type LimitSetup } from "./call-limits-stage.ts";
import { sixDoors, type SixthDoor } from "./six-doors.ts";

const KINDS = ["address", "principal", "agent"] as const;

/** A gateway whose agent goes on until it is told to end, one turn after the other. */
async function openStage(t: TestContext, setup: LimitSetup) {
  const puppets: Puppet[] = [];
  const handler = new ScriptedHandler((turn) => {
    const puppet = new Puppet();
    puppet.say(working);
    puppets.push(puppet);
    return puppet.script(turn);
  });
  const stage = await limitStage(t, { ...setup, handler });
  const doors = new Map(sixDoors(stage.gateway.port).map((door) => [nameOf(door), door]));
  t.after(() => {
    for (const puppet of puppets) puppet.end();
    for (const door of doors.values()) door.close();
  });
  const doorOf = (name: string): SixthDoor => doors.get(name) ?? assert.fail(name);
  return { ...stage, puppets, doorOf };
}

function nameOf({ name }: SixthDoor): string {
  return name;
}

let sent = 0;

/** A stream of a new task, with its first event read. */
async function open(door: SixthDoor) {
  const events = door.stream({ messageId: `s-${++sent}`, text: "hi" });
  const first = await events.next();
  assert.ok(!first.done && first.value.kind === "task");
  return { events, task: first.value.task.id };
}

function refused(events: AsyncGenerator<unknown>): Promise<void> {
  return assert.rejects(async () => void (await events.next()), /too many open streams/);
}

for (const name of DOOR_NAMES)
  describe(name, () => {
    for (const kind of KINDS)
      test(`one stream more than its ${kind} may have is refused`, async (t) => {
        const { gateway, puppets, doorOf } = await openStage(t, {
          calls: { [kind]: { streams: 2 } },
        });
        const door = doorOf(name);
        const first = await open(door);
        const second = door.subscribe(first.task);
        await second.next();
        await refused(door.subscribe(first.task));
        await refused(door.stream({ messageId: "one more", text: "hi" }));
        assert.equal(puppets.length, 1, "what is refused starts no turn");
        assert.equal((await door.get(first.task)).state, "working");

        // Its caller leaves.
        const before = callsIn(gateway.log.lines);
        await second.return(undefined);
        await gateway.log.until(({ message }) => message === "call", before + 1);
        const third = door.subscribe(first.task);
        await third.next();
        await refused(door.subscribe(first.task));

        // The task ends, and both streams with it.
        puppets[0]?.end();
        for await (const _ of first.events) void _;
        for await (const _ of third) void _;
        const fresh = [await open(door), await open(door)];
        await refused(door.stream({ messageId: "again", text: "hi" }));
        for (const { events } of fresh) await events.return(undefined);
      });

    test("an error before the first event takes up no place", async (t) => {
      const { doorOf } = await openStage(t, { calls: { principal: { streams: 1 } } });
      const door = doorOf(name);
      const unknown = "00000000-0000-7000-8000-000000000000";
      for (let time = 0; time < 3; time++)
        await assert.rejects(
          async () => void (await door.subscribe(unknown).next()),
          (error: Error) => !/too many/.test(error.message),
        );
      const { events } = await open(door);
      await events.return(undefined);
    });
  });

function callsIn(lines: readonly { readonly message: string }[]): number {
  return lines.filter(({ message }) => message === "call").length;
}

test("a refusal says when to come back, and which limit it was", async (t) => {
  const { doors, doorOf } = await openStage(t, { calls: { agent: { streams: 1 } } });
  const { events } = await open(doorOf("gRPC 0.3"));
  for (const door of doors) {
    const { verdict, headers, text } = await ask(door, "sendStreamingMessage");
    assert.equal(verdict, "rate limited", door.name);
    assert.equal(headers["retry-after"], "5");
    if (door.version === "1.0") assert.match(text, /agent\.streams/);
  }
  await events.return(undefined);
});

test("an agent's own limit of streams takes the place of that of all", async (t) => {
  const { doors, doorOf } = await openStage(t, {
    calls: { agent: { streams: 1 } },
    agent: { calls: { streams: "off" } },
  });
  const streams = [];
  for (const { name } of doors) streams.push(await open(doorOf(name)));
  for (const { events } of streams) await events.return(undefined);
});
