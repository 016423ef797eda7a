/** Whether what streams take up among those that are open is given back, however they end. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CountedCalls } from "../../src/access/limits/call-limits.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { StreamItem } from "../../src/protocol/service.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import {
  artifact,
  completed,
  Puppet,
  says,
  ScriptedHandler,
  throws,
  working,
} from "../support/scripted-handler.ts";
import { callOf, collect, requestOf, startService, type Options } from "../support/task-service.ts";

async function running(handler: ScriptedHandler, options: Options = {}) {
  const limit = { streams: 1 };
  const settings = { address: limit, principal: limit, agent: limit, except: [] };
  const limits = new CountedCalls(settings, { log: new RecordedLog(), now: Date.now });
  const { service, stop } = await startService(handler, { ...options, limits });
  const open = () =>
    service.sendStreamingMessage(requestOf("hi"), callOf())[Symbol.asyncIterator]();
  const isFree = (): boolean => limits.size.streams === 0;
  return { service, stop, open, isFree };
}

function rejection(items: AsyncIterator<StreamItem>): Promise<A2AError> {
  return items.next().then(
    () => assert.fail("it was let in"),
    (thrown: unknown) => A2AError.from(thrown),
  );
}

describe("the place of a stream", () => {
  test("is taken while it is open: another is refused, and other calls are not", async () => {
    const puppet = new Puppet();
    puppet.say(working);
    const { service, stop, open, isFree } = await running(new ScriptedHandler(puppet.script));
    const first = open();
    await first.next();
    assert.equal(isFree(), false);
    assert.equal((await rejection(open())).reason, "RATE_LIMITED");
    const { tasks } = await service.listTasks({}, callOf());
    assert.equal(tasks.length, 1);
    await first.return?.();
    // Both turns wait for what comes next.
    puppet.say(working, working);
    await open().next();
    puppet.end();
    puppet.end();
    await stop();
  });

  test("is free when the task has ended", async () => {
    const { service, stop, isFree } = await running(new ScriptedHandler(says(working, completed)));
    for (let round = 0; round < 3; round++) {
      await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
      assert.equal(isFree(), true);
    }
    await stop();
  });

  test("is free when the agent has failed", async () => {
    const handler = new ScriptedHandler(throws(new Error("broken"), working));
    const { service, stop, isFree } = await running(handler);
    await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.equal(isFree(), true);
    await stop();
  });

  test("is free when its caller has left", async () => {
    const puppet = new Puppet();
    const { stop, open, isFree } = await running(new ScriptedHandler(puppet.script));
    const items = open();
    puppet.say(working);
    await items.next();
    await items.next();
    const waiting = items.next();
    assert.equal(isFree(), false);
    await items.return?.();
    assert.equal(isFree(), true);
    await waiting;
    puppet.end();
    await stop();
  });

  test("is free at once when its caller leaves before the first event", async () => {
    const puppet = new Puppet();
    const { stop, open, isFree } = await running(new ScriptedHandler(puppet.script));
    const items = open();
    const first = items.next();
    assert.equal(isFree(), false);
    await items.return?.();
    assert.equal(isFree(), true);
    puppet.end();
    await first;
    assert.equal(isFree(), true);
    await stop();
  });

  test("is free after an error before the first event", async () => {
    const handler = new ScriptedHandler(throws(new A2AError("INVALID_PARAMS", "no")));
    const { service, stop, open, isFree } = await running(handler);
    assert.equal((await rejection(open())).reason, "INVALID_PARAMS");
    const id = "00000000-0000-7000-8000-000000000000";
    const items = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    assert.equal((await rejection(items)).reason, "TASK_NOT_FOUND");
    assert.equal(isFree(), true);
    await stop();
  });

  test("is free where the agent lacks what the call needs", async () => {
    const uri = "https://example.com/extension";
    const card = {
      name: "Test",
      description: "",
      supportedInterfaces: [],
      version: "1",
      capabilities: { streaming: true, extensions: [{ uri, required: true }] },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
    };
    const { stop, open, isFree } = await running(new ScriptedHandler(says()), { agent: { card } });
    assert.equal((await rejection(open())).reason, "EXTENSION_SUPPORT_REQUIRED");
    assert.equal(isFree(), true);
    await stop();
  });

  test("is free when its reader has fallen behind", async () => {
    const puppet = new Puppet();
    const streamBuffer = { events: 2, characters: 1_000 };
    const handler = new ScriptedHandler(puppet.script);
    const { service, stop, open, isFree } = await running(handler, { streamBuffer });
    const items = open();
    puppet.say(working);
    await items.next();
    await items.next();
    puppet.say(artifact("a"), artifact("b"), artifact("c"), artifact("d"), completed);
    puppet.end();
    await settled(service);
    const error = await items.next().then(
      () => items.next().then(() => undefined, String),
      (thrown: unknown) => String(thrown),
    );
    assert.match(String(error), /resubscribe/);
    assert.equal(isFree(), true);
    await stop();
  });

  test("is free when the gateway stops", async () => {
    const puppet = new Puppet();
    puppet.say(working);
    const { stop, open, isFree } = await running(new ScriptedHandler(puppet.script));
    const items = open();
    await items.next();
    await items.next();
    const error = rejection(items);
    puppet.end();
    await stop();
    assert.equal((await error).reason, "UNAVAILABLE");
    assert.equal(isFree(), true);
  });
});

/** Resolves once the only task has ended. */
async function settled(service: Awaited<ReturnType<typeof running>>["service"]): Promise<void> {
  for (;;) {
    const { tasks } = await service.listTasks({ status: "TASK_STATE_COMPLETED" }, callOf());
    if (tasks.length > 0) return;
  }
}
