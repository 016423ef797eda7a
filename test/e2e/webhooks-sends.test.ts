/** Webhooks that come with a message, on the six doors: kept before the first event, and never without a task. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  artifact,
  completed,
  inputRequired,
  message,
  Puppet,
  says,
  ScriptedHandler,
  throws,
  working,
} from "../support/scripted-handler.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { asTold, briefOf, eachHookDoor, endsIn, generationOf, stageOf } from "./webhook-stage.ts";
import { refusedBy } from "./webhook-doors.ts";
import type { Hook } from "./webhook-face.ts";

const asking = new ScriptedHandler(says(inputRequired));
const slow = new ScriptedHandler(says());
const stage = stageOf({
  working: { handler: new ScriptedHandler(says(working, artifact("a"), completed)) },
  asking: { handler: asking },
  slow: { handler: slow },
  chatty: { handler: new ScriptedHandler(says(message("just so"))) },
  refusing: { handler: new ScriptedHandler(throws(new A2AError("INVALID_PARAMS", "not you"))) },
});

const ALL = ["task SUBMITTED", "status WORKING", "artifact a", "status COMPLETED"];

function hookAt(path: string): Hook {
  return { id: "h", url: stage().receiver.url(path) };
}

/** Resolves once what is due to other webhooks, were there any, would have come. */
async function passed(name: string): Promise<void> {
  const path = stage().path();
  await stage()
    .doorOf(name, "working")
    .send({ text: "hi", hook: hookAt(path) });
  await stage().receiver.until(path, endsIn("COMPLETED"));
}

eachHookDoor((name) => {
  for (const way of ["send", "begin", "stream"] as const)
    test(`a config that comes with the first message hears of everything (${way})`, async () => {
      const door = stage().doorOf(name, "working");
      const path = stage().path();
      const taskId = await door[way]({ text: "hi", hook: hookAt(path) });
      assert(taskId !== undefined);
      const told = await stage().receiver.until(path, endsIn("COMPLETED"));
      assert.deepEqual(told.map(briefOf), asTold(door, ALL));
      assert.deepEqual(told.map(generationOf), [1, 2, 3, 4]);
      assert.deepEqual(await door.list(taskId), [hookAt(path)]);
    });

  for (const way of ["send", "begin", "stream"] as const)
    test(`a config that comes with a further message is told the task first (${way})`, async () => {
      const door = stage().doorOf(name, "asking");
      const path = stage().path();
      asking.script = says(artifact("draft"), inputRequired);
      const taskId = await door.send({ text: "hi" });
      assert(taskId !== undefined);
      asking.script = says(artifact("final"), completed);
      await door[way]({ text: "go", taskId, hook: hookAt(path) });
      const told = await stage().receiver.until(path, endsIn("COMPLETED"));
      assert.deepEqual(
        told.map(briefOf),
        door.version === "1.0"
          ? ["task WORKING", "artifact final", "status COMPLETED"]
          : ["whole WORKING", "whole WORKING", "whole COMPLETED"],
      );
      const [first] = told;
      const task = JSON.stringify(first?.body);
      assert.match(task, /"draft"/);
      assert.match(task, /"go"/);
      assert.doesNotMatch(task, /"final"/);
    });

  test("a message that names the task's config again replaces it", async () => {
    const door = stage().doorOf(name, "asking");
    const [old, now] = [stage().path(), stage().path()];
    asking.script = says(inputRequired);
    const taskId = (await door.send({ text: "hi", hook: hookAt(old) })) ?? "";
    // What became of it may not be written down yet.
    await stage().receiver.until(old, endsIn("INPUT_REQUIRED"));
    asking.script = says(completed);
    await door.send({ text: "go", taskId, hook: hookAt(now) });
    const told = await stage().receiver.until(now, endsIn("COMPLETED"));
    const [first = assert.fail()] = told;
    assert.match(briefOf(first), door.version === "1.0" ? /^task / : /^whole /);
    assert.deepEqual(await door.list(taskId), [hookAt(now)]);
    assert.ok(!endsIn("COMPLETED")(stage().receiver.at(old)));
  });

  test("an answer without a task leaves no config", async () => {
    const door = stage().doorOf(name, "chatty");
    const path = stage().path();
    assert.equal(await door.send({ text: "hi", hook: hookAt(path) }), undefined);
    assert.equal(await door.stream({ text: "hi", hook: hookAt(path) }), undefined);
    await passed(name);
    assert.deepEqual(stage().receiver.at(path), []);
  });

  test("a message that is refused leaves no config", async () => {
    const path = stage().path();
    const hook = hookAt(path);
    const refusing = stage().doorOf(name, "refusing");
    await refusedBy(refusing, refusing.send({ text: "hi", hook }), "INVALID_PARAMS");
    await refusedBy(refusing, refusing.stream({ text: "hi", hook }), "INVALID_PARAMS");

    const door = stage().doorOf(name, "asking");
    const unknown = "01890000-0000-7000-8000-000000000000";
    await refusedBy(door, door.send({ text: "hi", taskId: unknown, hook }), "TASK_NOT_FOUND");

    asking.script = says(completed);
    const taskId = (await door.send({ text: "hi" })) ?? "";
    for (const answer of [
      () => door.send({ text: "more", taskId, hook }),
      () => door.stream({ text: "more", taskId, hook }),
    ])
      await refusedBy(door, answer(), "UNSUPPORTED_OPERATION");
    assert.deepEqual(await door.list(taskId), []);
    const other = stage().doorOf(name, "working");
    await refusedBy(other, other.send({ text: "more", taskId, hook }), "TASK_NOT_FOUND");
    await passed(name);
    assert.deepEqual(stage().receiver.at(path), []);
  });

  test("a task goes on telling when its caller is gone", async () => {
    const door = stage().doorOf(name, "slow");
    const agent = new Puppet();
    slow.script = agent.script;
    const path = stage().path();
    agent.say(working);
    const taskId = await door.begin({ text: "hi", hook: hookAt(path) });
    await stage().receiver.until(path, endsIn("WORKING"));
    agent.say(artifact("a"), completed);
    const told = await stage().receiver.until(path, endsIn("COMPLETED"));
    assert.deepEqual(told.map(briefOf), asTold(door, ALL));
    assert.equal((await door.list(taskId)).length, 1);
  });
});
