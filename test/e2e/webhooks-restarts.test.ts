/** Webhooks of a gateway that has more than one life. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { temporaryFolder } from "../cli/command.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { silence, startReceiver, taken, type Receiver } from "../support/receiver.ts";
import {
  artifact,
  completed,
  inputRequired,
  Puppet,
  says,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import {
  areAll,
  asTold,
  briefOf,
  deliveriesOnce,
  endsIn,
  generationOf,
  LOCAL,
  OPS,
} from "./webhook-stage.ts";
import { hookDoors } from "./webhook-doors.ts";
import type { HookDoor } from "./webhook-face.ts";

const scripted = new ScriptedHandler(says(completed));
/** A receiver may be away for longer than a few tries take. */
const PATIENT = { ...LOCAL, attempts: 100, backoff: { first: "5ms", most: "50ms" } };

interface Lives {
  readonly receiver: Receiver;
  /** Another life of the gateway, on the same file. */
  start(): Promise<{ readonly gateway: RunningGateway; readonly doors: readonly HookDoor[] }>;
}

async function livesOf(t: TestContext): Promise<Lives> {
  const folder = await temporaryFolder(t);
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  return {
    receiver,
    async start() {
      const gateway = await runGateway({
        agents: { scripted: { handler: scripted } },
        settings: {
          push: PATIENT,
          ...OPS,
        },
        folder,
      });
      const doors = hookDoors(gateway.port, "scripted");
      t.after(async () => {
        for (const door of doors) door.close();
        await gateway.stop();
        assert.deepEqual(gateway.log.errors, []);
      });
      return { gateway, doors };
    },
  };
}

test("what a receiver that was away has missed is delivered after a restart, once and in order", async (t) => {
  const { receiver, start } = await livesOf(t);
  const first = await start();
  scripted.script = says(working, artifact("a"), completed);
  await receiver.stop();
  const ids: string[] = [];
  for (const [index, door] of first.doors.entries()) {
    const hook = { id: "h", url: receiver.url(`/${index}`), token: "t" };
    ids.push((await door.send({ text: "hi", hook })) ?? "");
  }
  await first.gateway.stop();
  await receiver.start();
  const second = await start();
  for (const [index, door] of second.doors.entries()) {
    await deliveriesOnce(second.gateway, ids[index] ?? "", areAll("delivered", 4));
    const told = receiver.at(`/${index}`);
    assert.deepEqual(
      told.map(briefOf),
      asTold(door, ["task SUBMITTED", "status WORKING", "artifact a", "status COMPLETED"]),
    );
    assert.ok(told.every(({ headers }) => headers["x-a2a-notification-token"] === "t"));
    assert.ok(told.every(({ headers }) => Number(headers["a2a-delivery-attempt"]) >= 1));
  }
});

test("a delivery that a stop cut is made again", async (t) => {
  const { receiver, start } = await livesOf(t);
  const first = await start();
  scripted.script = says(completed);
  receiver.answers("/cut", silence);
  const [door] = first.doors;
  const taskId = (await door?.send({ text: "hi", hook: { url: receiver.url("/cut") } })) ?? "";
  await receiver.until("/cut", (told) => told.length === 1);
  await first.gateway.stop();
  receiver.answers("/cut", taken);
  const second = await start();
  await deliveriesOnce(second.gateway, taskId, areAll("delivered", 2));
  assert.deepEqual(receiver.at("/cut").map(generationOf), [1, 1, 2]);
});

test("webhooks of a task that waits, and of one that a stop has failed, are found after a restart", async (t) => {
  const { receiver, start } = await livesOf(t);
  const first = await start();
  scripted.script = says(inputRequired);
  const waiting: string[] = [];
  for (const [index, door] of first.doors.entries())
    waiting.push(
      (await door.send({ text: "hi", hook: { id: "h", url: receiver.url(`/w${index}`) } })) ?? "",
    );
  scripted.script = new Puppet().script;
  for (const [index, door] of first.doors.entries())
    await door.begin({ text: "hi", hook: { id: "h", url: receiver.url(`/c${index}`) } });
  await first.gateway.stop();

  const second = await start();
  scripted.script = says(completed);
  for (const [index, door] of second.doors.entries()) {
    await door.send({ text: "go", taskId: waiting[index] ?? "" });
    const told = await receiver.until(`/w${index}`, endsIn("COMPLETED"));
    assert.deepEqual(told.map(generationOf), [1, 2, 3, 4]);
    await receiver.until(`/c${index}`, endsIn("FAILED"));
  }
});
