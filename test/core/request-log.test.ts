import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Log } from "../../src/core/ports/log.ts";
import { logged } from "../../src/core/request-log.ts";
import { completed, message, says, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { callOf, collect, requestOf, startService, taskIn } from "../support/task-service.ts";

type Line = { readonly level: string } & Record<string, unknown>;

async function withLog(reads: boolean, script = says(working, completed)) {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object) => void lines.push({ level, ...fields });
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const { service, stop } = await startService(new ScriptedHandler(script));
  const clock = { now: () => 0, newId: () => "" };
  return { front: logged(service, { log, clock, primary: () => "test", reads }), lines, stop };
}

describe("the request log", () => {
  it("has a line for a send, with the ids of what came of it", async () => {
    const { front, lines, stop } = await withLog(false);
    const request = requestOf("secret words");
    const { id, contextId } = taskIn(await front.sendMessage(request, callOf()));
    assert.deepEqual(lines, [
      {
        level: "info",
        request: "test",
        operation: "sendMessage",
        version: "1.0",
        agent: "test",
        ms: 0,
        task: id,
        context: contextId,
        message: request.message.messageId,
      },
    ]);
    await stop();
  });

  it("has a line for a stream once it has ended, with the number of its events", async () => {
    const { front, lines, stop } = await withLog(false);
    const items = front.sendStreamingMessage(requestOf("hi"), callOf({ agent: "test" }));
    assert.equal((await collect(items)).length, 3);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.["events"], 3);
    assert.equal(typeof lines[0]?.["task"], "string");
    await stop();
  });

  it("names the context of an answer by message", async () => {
    const { front, lines, stop } = await withLog(false, says(message("hello")));
    await front.sendMessage(requestOf("hi", { contextId: "c" }), callOf());
    assert.equal(lines[0]?.["context"], "c");
    assert.equal(lines[0]?.["task"], undefined);
    await stop();
  });

  it("has lines for reads only when they fail, or when they are asked for", async () => {
    for (const reads of [false, true]) {
      const { front, lines, stop } = await withLog(reads);
      await front.listTasks({}, callOf());
      assert.deepEqual(
        lines.map(({ level }) => level),
        reads ? ["debug"] : [],
      );
      await assert.rejects(front.getTask({ id: "nobody" }, callOf({ agent: "test" })));
      const last = lines.at(-1);
      assert.equal(last?.["error"], "TASK_NOT_FOUND");
      assert.equal(last?.["task"], "nobody");
      await stop();
    }
  });
});
