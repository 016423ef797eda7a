import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { A2AError } from "../../src/protocol/errors.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import type { StreamItem } from "../../src/protocol/service.ts";
import {
  artifact,
  authRequired,
  chunk,
  completed,
  inputRequired,
  message,
  Puppet,
  says,
  throws,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import {
  callOf,
  collect,
  requestOf,
  shortOf,
  startService,
  taskIn,
  withConfiguration,
} from "../support/task-service.ts";

const now = { returnImmediately: true };

/** Reads items until one of that form arrives. */
async function until(items: AsyncIterator<StreamItem>, form: string): Promise<StreamItem[]> {
  const read: StreamItem[] = [];
  for (;;) {
    const next = await items.next();
    if (next.done) throw new Error(`the stream ended before ${form}`);
    read.push(next.value);
    if (shortOf(next.value) === form) return read;
  }
}

describe("sendStreamingMessage", () => {
  it("starts with the task, SUBMITTED, at generation 1, and ends at the terminal state", async () => {
    const handler = new ScriptedHandler(says(working, artifact("a"), completed));
    const { service, stop } = await startService(handler);
    const items = await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.deepEqual(items.map(shortOf), [
      "task SUBMITTED",
      "status WORKING",
      "artifact a",
      "status COMPLETED",
    ]);
    assert.deepEqual(
      items.map(({ generation }) => generation),
      [1, 2, 3, 4],
    );
    await stop();
  });

  it("is the message alone when the agent answers with one", async () => {
    const { service, stop } = await startService(new ScriptedHandler(says(message("hello"))));
    const items = await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.deepEqual(items.map(shortOf), ["message hello"]);
    assert.equal(items[0]?.generation, undefined);
    await stop();
  });

  it("throws before its first item when the handler refuses", async () => {
    const handler = new ScriptedHandler(throws(new A2AError("UNSUPPORTED_OPERATION", "not today")));
    const { service, stop } = await startService(handler);
    await assert.rejects(collect(service.sendStreamingMessage(requestOf("hi"), callOf())), {
      reason: "UNSUPPORTED_OPERATION",
    });
    await stop();
  });

  it("closes at INPUT_REQUIRED and stays open in AUTH_REQUIRED", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const first = await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.equal(shortOf(first.at(-1) as StreamItem), "status INPUT_REQUIRED");
    handler.script = says(working, authRequired, working, completed);
    const second = await collect(service.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.equal(shortOf(second.at(-1) as StreamItem), "status COMPLETED");
    await stop();
  });

  it("starts a further turn with the task as it was before, and misses nothing after", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const puppet = new Puppet();
    handler.script = puppet.script;
    const stream = service
      .sendStreamingMessage(requestOf("go", { taskId: id }), callOf())
      [Symbol.asyncIterator]();
    puppet.say(working);
    const first = (await stream.next()).value as StreamItem;
    assert.equal(shortOf(first), "task INPUT_REQUIRED");
    puppet.say(artifact("a"), completed);
    const rest = await until(stream, "status COMPLETED");
    assert.deepEqual(rest.map(shortOf), ["status WORKING", "artifact a", "status COMPLETED"]);
    assert.equal((await stream.next()).done, true);
    await stop();
  });

  it("tells all of a further turn that ends before its stream begins", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    for (const [last, told] of [
      [inputRequired, "status INPUT_REQUIRED"],
      [completed, "status COMPLETED"],
    ] as const) {
      handler.script = says(artifact("a"), last);
      const items = await collect(
        service.sendStreamingMessage(requestOf("go", { taskId: id }), callOf()),
      );
      assert.deepEqual(items.map(shortOf), [
        "task INPUT_REQUIRED",
        "status WORKING",
        "artifact a",
        told,
      ]);
    }
    await stop();
  });

  it("lets the task go on when its reader leaves", async () => {
    const puppet = new Puppet();
    const { service, stop } = await startService(new ScriptedHandler(puppet.script));
    const stream = service.sendStreamingMessage(requestOf("hi"), callOf())[Symbol.asyncIterator]();
    puppet.say(working);
    const opening = (await stream.next()).value as StreamItem;
    const opened = modelOf(opening.response);
    assert.ok("task" in opened);
    const { id } = modelOf(opened.task);
    await stream.next();
    const rest = stream.next();
    await stream.return?.(undefined);
    assert.equal((await rest).done, true);
    const again = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    puppet.say(artifact("a"), completed);
    await until(again, "status COMPLETED");
    const task = modelOf(await service.getTask({ id }, callOf()));
    assert.equal(task.artifacts?.length, 1);
    assert.equal(service.load.streams, 0);
    await stop();
  });
});

describe("subscribeToTask", () => {
  it("gives a snapshot and then every later event, alike to all, without gap or repeat", async () => {
    const puppet = new Puppet();
    const { service, stop } = await startService(new ScriptedHandler(puppet.script));
    puppet.say(working);
    const { id } = taskIn(
      await service.sendMessage(withConfiguration(requestOf("hi"), now), callOf()),
    );
    const streams: Promise<StreamItem[]>[] = [];
    for (let n = 0; n < 200; n++) {
      puppet.say(chunk(`${n} `, "a"));
      if (n % 20 === 0) streams.push(collect(service.subscribeToTask({ id }, callOf())));
      if (n % 7 === 0) await service.getTask({ id }, callOf());
    }
    puppet.say(completed);
    const whole = Array.from({ length: 200 }, (_, n) => `${n} `).join("");
    for (const stream of streams) {
      const items = await stream;
      assert.equal(textFrom(items), whole);
      const generations = items.map(({ generation = 0 }) => generation);
      const [first = 0] = generations;
      assert.deepEqual(
        generations,
        generations.map((_, index) => first + index),
      );
    }
    await stop();
  });

  it("stays open while the task waits, and shows the next turn to its end", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const stream = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    assert.equal(shortOf((await stream.next()).value as StreamItem), "task INPUT_REQUIRED");
    handler.script = says(artifact("a"), completed);
    await service.sendMessage(requestOf("go", { taskId: id }), callOf());
    const rest = await until(stream, "status COMPLETED");
    assert.deepEqual(rest.map(shortOf), ["status WORKING", "artifact a", "status COMPLETED"]);
    assert.equal((await stream.next()).done, true);
    await stop();
  });

  it("is refused for unknown tasks, and for ended ones without a cursor", async () => {
    const { service, stop } = await startService(new ScriptedHandler(says(completed)));
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const unknown = collect(service.subscribeToTask({ id: "nobody" }, callOf()));
    await assert.rejects(unknown, { reason: "TASK_NOT_FOUND" });
    const ended = collect(service.subscribeToTask({ id }, callOf()));
    await assert.rejects(ended, { reason: "UNSUPPORTED_OPERATION" });
    assert.equal(service.load.streams, 0);
    await stop();
  });

  it("replays what a cursor lacks, exactly and in order, also of an ended task", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    handler.script = says(artifact("a"), completed);
    await service.sendMessage(requestOf("go", { taskId: id }), callOf());
    const all = await collect(service.subscribeToTask({ id }, callOf({ resumeAfter: 0 })));
    assert.deepEqual(all.map(shortOf), [
      "task SUBMITTED",
      "status INPUT_REQUIRED",
      "status WORKING",
      "artifact a",
      "status COMPLETED",
    ]);
    for (let cursor = 1; cursor <= all.length; cursor++) {
      const call = callOf({ resumeAfter: cursor });
      const rest = await collect(service.subscribeToTask({ id }, call));
      assert.deepEqual(rest.map(shortOf), all.slice(cursor).map(shortOf));
      for (const { response } of rest) assert.ok(!("history" in modelOf(response)));
    }
    await stop();
  });

  it("sends the snapshot when the cursor is ahead of the task", async () => {
    const { service, stop } = await startService(new ScriptedHandler(says(inputRequired)));
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const call = callOf({ resumeAfter: 99 });
    const stream = service.subscribeToTask({ id }, call)[Symbol.asyncIterator]();
    assert.equal(shortOf((await stream.next()).value as StreamItem), "task INPUT_REQUIRED");
    await stream.return?.(undefined);
    await stop();
  });

  it("ends a reader that is too slow, without slowing the task or the others", async () => {
    const puppet = new Puppet();
    const { service, stop } = await startService(new ScriptedHandler(puppet.script), {
      streamBuffer: { events: 10, characters: 1_000_000 },
    });
    puppet.say(working);
    const { id } = taskIn(
      await service.sendMessage(withConfiguration(requestOf("hi"), now), callOf()),
    );
    const slow = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    await slow.next();
    const quick = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    await quick.next();
    for (let n = 0; n < 30; n++) {
      puppet.say(chunk("x", "a"));
      await quick.next();
    }
    await assert.rejects(async () => {
      for (;;) if ((await slow.next()).done) return;
    }, /resubscribe/);
    puppet.say(completed);
    await until(quick, "status COMPLETED");
    await stop();
  });
});

function textFrom(items: readonly StreamItem[]): string {
  let text = "";
  for (const { response } of items) {
    const event = modelOf(response);
    if ("task" in event) {
      const parts = modelOf(event.task).artifacts?.flatMap((item) => item.parts) ?? [];
      text = parts.map((part) => part.text).join("");
    } else if ("artifactUpdate" in event) {
      text += event.artifactUpdate.artifact.parts.map((part) => part.text).join("");
    }
  }
  return text;
}
