/** Ports of agents go from one to the other while they are open. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { artifactTexts, messageOf, taskIn } from "../e2e/requests.ts";
import { openDoors, type Door } from "../support/doors.ts";
import { artifact, completed, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { answering, configured, running, SETTINGS } from "./running.ts";

const ONE = ["one", answering("one")] as const;

/** What each of the doors answers. */
async function saidBy(doors: readonly Door[]): Promise<readonly string[]> {
  const answers = doors.map((door) => door.call("sendMessage", messageOf("hi")));
  return (await Promise.all(answers)).map((answer) => artifactTexts(taskIn(answer)).join());
}

test("an agent that is given another id keeps its port, and connections to it", async (t) => {
  const { gateway, portOf } = await running(t, configured(ONE, ["a", answering("a", { port: 0 })]));
  const port = portOf("a");
  const doors = openDoors(port);
  t.after(() => doors.forEach((door) => door.close()));
  assert.deepEqual(await saidBy(doors), ["a", "a", "a"]);

  await gateway.reload(configured(ONE, ["b", answering("b", { port })]));
  assert.deepEqual([...gateway.ownPorts], [["b", port]]);
  assert.deepEqual(await saidBy(doors), ["b", "b", "b"]);
  const card = await fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`);
  assert.equal(((await card.json()) as { readonly name: string }).name, "b");
});

test("two agents change ports, and neither port is closed at any time", async (t) => {
  const zero = { port: 0 };
  const { gateway, portOf } = await running(
    t,
    configured(ONE, ["a", answering("a", zero)], ["b", answering("b", zero)]),
  );
  const [atA, atB] = [portOf("a"), portOf("b")];
  const doors = [openDoors(atA), openDoors(atB)] as const;
  t.after(() => doors.flat().forEach((door) => door.close()));
  assert.deepEqual(await saidBy(doors.flat()), ["a", "a", "a", "b", "b", "b"]);

  let isDone = false;
  const watched = (async () => {
    const url = `http://127.0.0.1:${atA}/.well-known/agent-card.json`;
    while (!isDone)
      assert.equal((await fetch(url, { headers: { connection: "close" } })).status, 200);
  })();
  await gateway.reload(
    configured(ONE, ["a", answering("a", { port: atB })], ["b", answering("b", { port: atA })]),
  );
  isDone = true;
  await watched;
  assert.deepEqual(await saidBy(doors.flat()), ["b", "b", "b", "a", "a", "a"]);
});

test("a stream that is open when its port is handed over ends as it began", async (t) => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler = new ScriptedHandler(async function* () {
    yield working;
    await released;
    yield artifact("old");
    yield completed;
  });
  const { gateway, portOf } = await running(t, {
    agents: { one: { settings: ONE[1] }, a: { handler, settings: { port: 0 } } },
    settings: SETTINGS,
  });
  const port = portOf("a");
  const doors = openDoors(port);
  t.after(() => doors.forEach((door) => door.close()));
  const streams = doors.map((door) => door.stream("sendStreamingMessage", messageOf("go")));
  for (const stream of streams) await stream.next();
  await gateway.reload({
    agents: {
      one: { settings: ONE[1] },
      a: { handler },
      b: { settings: answering("b", { port }) },
    },
    settings: SETTINGS,
  });
  assert.deepEqual(await saidBy(openedFor(t, port)), ["b", "b", "b"]);
  release();
  for (const stream of streams) {
    const events: string[] = [];
    for await (const { response } of stream) events.push(JSON.stringify(response));
    assert.match(events.join("\n"), /"old"[^]*TASK_STATE_COMPLETED/);
  }
});

function openedFor(t: { after(end: () => void): void }, port: number): readonly Door[] {
  const doors = openDoors(port);
  t.after(() => doors.forEach((door) => door.close()));
  return doors;
}

test("a port that is not to be had leaves those that would have moved where they are", async (t) => {
  const zero = { port: 0 };
  const { gateway, portOf } = await running(
    t,
    configured(ONE, ["a", answering("a", zero)], ["b", answering("b", zero)]),
  );
  const before = [...gateway.ownPorts];
  const moved = [
    ONE,
    ["a", answering("a", { port: portOf("b") })],
    ["b", answering("b", { port: portOf("a") })],
    ["c", answering("c", { port: gateway.port })],
  ] as const;
  await assert.rejects(gateway.reload(configured(...moved)), /is in use/);
  assert.deepEqual([...gateway.ownPorts], before);
  assert.deepEqual(await saidBy(openedFor(t, portOf("a"))), ["a", "a", "a"]);
});

test("an added agent gives its port up to one of the configuration, and says so", async (t) => {
  const { gateway, admin, portOf } = await running(t, configured(ONE));
  await admin.done("PUT", "/agents/mine", answering("mine", { port: 0 }));
  const port = portOf("mine");
  await admin.done("PUT", "/agents/mine", answering("mine", { port }));
  await gateway.reload(configured(ONE, ["b", answering("b", { port })]));
  assert.deepEqual([...gateway.ownPorts], [["b", port]]);
  const { problem } = (await admin.done("GET", "/agents/mine")) as { readonly problem: string };
  assert.equal(problem, `port ${port} is taken by agent b`);
  assert.equal(
    (await admin.refused("POST", "/agents/mine/enable")).message,
    `port ${port} is taken by agent b`,
  );

  await gateway.reload(configured(ONE));
  assert.deepEqual([...gateway.ownPorts], [["mine", port]]);
});
