/** What becomes of a task from its first message to its end, on every door alike. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { refused } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import {
  artifact,
  authRequired,
  completed,
  inputRequired,
  message,
  Puppet,
  says,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import { eachDoor } from "./each-door.ts";
import {
  artifactTexts,
  asTask,
  atOnce,
  drained,
  historyTexts,
  messageOf,
  nextOf,
  shortOf,
  taskIn,
} from "./requests.ts";

let gateway: RunningGateway;
const handler = new ScriptedHandler(says(completed));

before(async () => {
  gateway = await runGateway({ agents: { agent: { handler, settings: { cancelGrace: "20ms" } } } });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

function puppet(): Puppet {
  const made = new Puppet();
  handler.script = made.script;
  return made;
}

eachDoor(
  () => gateway,
  (door) => {
    // Blocking send.
    for (const [what, configuration] of [
      ["no configuration", undefined],
      ["an empty configuration", {}],
      ["returnImmediately: false", { returnImmediately: false }],
    ] as const)
      test(`a send with ${what} waits for the end, and has all artifacts`, async () => {
        const agent = puppet();
        agent.say(working, artifact("one", "a"));
        const request = { ...messageOf("hi"), ...(configuration && { configuration }) };
        const answer = door().call("sendMessage", request);
        agent.say(artifact("two", "b"), completed);
        const task = taskIn(await answer);
        assert.equal(task.status.state, "TASK_STATE_COMPLETED");
        assert.deepEqual(artifactTexts(task), ["one", "two"]);
      });

    test("a send that wants its answer at once gets the task, on the first turn and on a later one", async () => {
      const agent = puppet();
      agent.say(working);
      const first = taskIn(await door().call("sendMessage", atOnce("one")));
      assert.equal(first.status.state, "TASK_STATE_WORKING");
      // The first turn still runs: the second waits for it, its caller does not.
      const follow = atOnce("two", { taskId: first.id });
      const second = taskIn(await door().call("sendMessage", follow));
      assert.equal(second.id, first.id);
      assert.deepEqual(historyTexts(second), ["one", "two"]);
      const follower = door().stream("subscribeToTask", { id: first.id });
      await nextOf(follower);
      agent.say(inputRequired);
      agent.end();
      agent.say(artifact("to two"), completed);
      assert.deepEqual((await drained(follower)).map(shortOf), [
        "status INPUT_REQUIRED",
        "status WORKING",
        "artifact to two",
        "status COMPLETED",
      ]);
    });

    test("a turn that waited and whose agent says nothing completes the task", async () => {
      const agent = puppet();
      agent.say(working);
      const { id } = taskIn(await door().call("sendMessage", atOnce("one")));
      await door().call("sendMessage", atOnce("two", { taskId: id }));
      const last = door().call("sendMessage", messageOf("three", { taskId: id }));
      handler.script = says();
      agent.say(inputRequired);
      agent.end();
      await refused(door(), last, "UNSUPPORTED_OPERATION");
      const task = asTask(await door().call("getTask", { id }));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    });

    test("a send ends at a question, and the answer to it goes on with the same task", async () => {
      handler.script = says(working, inputRequired);
      const asked = taskIn(await door().call("sendMessage", messageOf("book a flight")));
      assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
      handler.script = says(artifact("done"), completed);
      const answer = messageOf("to Rome", { taskId: asked.id });
      const task = taskIn(await door().call("sendMessage", answer));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(historyTexts(task), ["book a flight", "which one?", "to Rome"]);
    });

    test("a send ends at a demand for credentials, and the task goes on by itself", async () => {
      const agent = puppet();
      agent.say(working, authRequired);
      const task = taskIn(await door().call("sendMessage", messageOf("hi")));
      assert.equal(task.status.state, "TASK_STATE_AUTH_REQUIRED");
      const follower = door().stream("subscribeToTask", { id: task.id });
      assert.equal(shortOf(await nextOf(follower)), "task AUTH_REQUIRED");
      agent.say(working, artifact("let in"), completed);
      assert.deepEqual((await drained(follower)).map(shortOf), [
        "status WORKING",
        "artifact let in",
        "status COMPLETED",
      ]);
      const ended = asTask(await door().call("getTask", { id: task.id }));
      assert.deepEqual(artifactTexts(ended), ["let in"]);
    });

    test("an answer by a message makes no task", async () => {
      handler.script = says(message("hello"));
      const contextId = `message-${door().binding}`;
      const answer = await door().call("sendMessage", messageOf("hi", { contextId }));
      assert.deepEqual(Object.keys(answer), ["message"]);
      assert.equal((await door().call("listTasks", { contextId }))["totalSize"], 0);
    });

    // Cancel that does not stop.
    test("what a canceled agent still says changes nothing, and every follower sees one end", async () => {
      const agent = puppet();
      agent.say(working);
      const stream = door().stream("sendStreamingMessage", messageOf("hi"));
      const { id } = taskIn((await nextOf(stream)).response);
      const follower = door().stream("subscribeToTask", { id });
      assert.deepEqual(shortOf(await nextOf(stream)), "status WORKING");
      assert.deepEqual(shortOf(await nextOf(follower)), "task WORKING");
      const cancels = handler.cancels.length;
      const [one, two] = await Promise.all([
        door().call("cancelTask", { id, metadata: { why: "late" } }),
        door().call("cancelTask", { id }),
      ]);
      for (const canceled of [one, two])
        assert.equal(asTask(canceled).status.state, "TASK_STATE_CANCELED");
      assert.equal(handler.cancels.length, cancels + 1);
      agent.say(artifact("too late"), completed);
      agent.end();
      for (const events of [await drained(stream), await drained(follower)])
        assert.deepEqual(events.map(shortOf), ["status CANCELED"]);
      const task = asTask(await door().call("getTask", { id }));
      assert.deepEqual([task.status.state, artifactTexts(task)], ["TASK_STATE_CANCELED", []]);
      assert.equal(
        asTask(await door().call("cancelTask", { id })).status.state,
        "TASK_STATE_CANCELED",
      );
    });

    test("a task that completed before the cancel stays completed", async () => {
      handler.script = says(completed);
      const { id } = taskIn(await door().call("sendMessage", messageOf("hi")));
      await refused(door(), door().call("cancelTask", { id }), "TASK_NOT_CANCELABLE");
      const task = asTask(await door().call("getTask", { id }));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    });

    // A second answer, a throw after the answer.
    test("an agent that throws after the answer fails the task, and is logged once", async () => {
      const agent = puppet();
      agent.say(working);
      const { id } = taskIn(await door().call("sendMessage", atOnce("hi")));
      const follower = door().stream("subscribeToTask", { id });
      await nextOf(follower);
      agent.fail(new Error("the tool broke\n    at /srv/secret.js:1"));
      assert.deepEqual((await drained(follower)).map(shortOf), ["status FAILED"]);
      const { status } = asTask(await door().call("getTask", { id }));
      assert.deepEqual(status.message?.parts, [{ text: "the agent failed: the tool broke" }]);
      const lines = gateway.log.lines.filter(({ fields }) => fields["task"] === id);
      assert.equal(lines.filter(({ level }) => level === "warn").length, 1);
    });

    // A follow-up that wipes the history.
    test("a later snapshot without history and artifacts takes nothing away, and doubles nothing", async () => {
      handler.script = says(
        { kind: "artifact", artifact: { artifactId: "a", parts: [{ text: "draft" }] } },
        inputRequired,
      );
      const asked = taskIn(await door().call("sendMessage", messageOf("one")));
      const [first] = asked.history ?? [];
      assert(first);
      handler.script = says(
        { kind: "task", state: "TASK_STATE_WORKING" },
        {
          kind: "task",
          state: "TASK_STATE_WORKING",
          history: [first],
          artifacts: [
            { artifactId: "a", parts: [{ text: "final" }] },
            { artifactId: "b", parts: [{ text: "more" }] },
          ],
        },
        { kind: "task", state: "TASK_STATE_COMPLETED" },
      );
      const follow = messageOf("two", { taskId: asked.id });
      const task = taskIn(await door().call("sendMessage", follow));
      assert.deepEqual(historyTexts(task), ["one", "which one?", "two"]);
      assert.deepEqual(artifactTexts(task), ["final", "more"]);
    });

    test("a message to an ended task is refused, and the task stays as it was", async () => {
      handler.script = says(completed);
      const task = taskIn(await door().call("sendMessage", messageOf("hi")));
      const again = messageOf("again", { taskId: task.id });
      await refused(door(), door().call("sendMessage", again), "UNSUPPORTED_OPERATION");
      assert.deepEqual(asTask(await door().call("getTask", { id: task.id })), task);
    });

    test("a history is as long as it is asked to be, newest last", async () => {
      handler.script = says(inputRequired);
      const { id } = taskIn(await door().call("sendMessage", messageOf("one")));
      await door().call("sendMessage", messageOf("two", { taskId: id }));
      const whole = ["one", "which one?", "two"];
      for (const [historyLength, expected] of [
        [0, []],
        [1, ["two"]],
        [2, ["which one?", "two"]],
        [2 ** 31 - 1, whole],
      ] as const) {
        const task = asTask(await door().call("getTask", { id, historyLength }));
        assert.deepEqual(historyTexts(task), expected);
        if (historyLength === 0) assert.equal("history" in task, false);
      }
    });
  },
);
