/** An error is the same error on every door, whoever made it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { A2AError, ERRORS, type ErrorReason } from "../../src/protocol/errors.ts";
import { allRefused, refused, type Door } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { completed, ScriptedHandler, says, working } from "../support/scripted-handler.ts";
import { drained, messageOf, shortOf, taskIn } from "./requests.ts";

const REASONS = Object.keys(ERRORS) as ErrorReason[];

let gateway: RunningGateway;
const plain = new ScriptedHandler(says(working, completed));

before(async () => {
  const foreign = join(import.meta.dirname, "fixtures/foreign-agent.ts");
  gateway = await runGateway({
    agents: {
      plain: { handler: plain, settings: { push: "off", extendedCard: { description: "More" } } },
      foreign: { settings: { module: { path: foreign, export: "handle" } } },
      silent: { handler: plain, settings: { streaming: false } },
      strict: {
        handler: plain,
        settings: { extensions: [{ uri: "https://e.example/x", required: true }] },
      },
    },
  });
});
after(() => gateway.stop());

const DOORS = [0, 1, 2].map((index) => ({
  name: ["JSON-RPC", "HTTP+JSON", "gRPC"][index],
  of: (agent: string): Door => {
    const door = gateway.doorsOf(agent)[index];
    assert(door);
    return door;
  },
}));

for (const { name, of } of DOORS)
  describe(name, () => {
    test("an agent's error is the caller's, although the agent has a class of its own", async () => {
      const door = of("foreign");
      assert.notEqual(
        (globalThis as Record<symbol, unknown>)[Symbol.for("a2a-gateway.test.foreign-error")],
        A2AError,
      );
      for (const reason of REASONS.filter((one) => one !== "INTERNAL_ERROR")) {
        const refusal = await refused(door, door.call("sendMessage", messageOf(reason)), reason);
        assert.equal(refusal.message, "naïve: 100% «x»\nsecond line");
        await refused(
          door,
          drained(door.stream("sendStreamingMessage", messageOf(reason))),
          reason,
        );
      }
    });

    test("an agent's error after its first event fails the task", async () => {
      const door = of("foreign");
      const task = taskIn(await door.call("sendMessage", messageOf("TASK_NOT_FOUND later")));
      assert.equal(task.status.state, "TASK_STATE_FAILED");
      assert.match(task.status.message?.parts[0]?.text ?? "", /^naïve/);
    });

    test("an agent's error of a kind that nobody knows fails the task, and nothing else", async () => {
      const door = of("foreign");
      const task = taskIn(await door.call("sendMessage", messageOf("MADE_UP")));
      assert.equal(task.status.state, "TASK_STATE_FAILED");
      const events = await drained(door.stream("sendStreamingMessage", messageOf("MADE_UP")));
      assert.deepEqual(events.map(shortOf), ["task SUBMITTED", "status FAILED"]);
    });

    test("unknown tasks are not found, for every operation on a task", async () => {
      const door = of("plain");
      for (const operation of ["getTask", "cancelTask"] as const)
        await refused(door, door.call(operation, { id: "nope" }), "TASK_NOT_FOUND");
      await refused(
        door,
        drained(door.stream("subscribeToTask", { id: "nope" })),
        "TASK_NOT_FOUND",
      );
      const follow = messageOf("hi", { taskId: "nope" });
      await refused(door, door.call("sendMessage", follow), "TASK_NOT_FOUND");
      await refused(door, drained(door.stream("sendStreamingMessage", follow)), "TASK_NOT_FOUND");
    });

    test("what the agent cannot do has its own error, each with the code of the specification", async () => {
      const door = of("plain");
      const task = taskIn(await door.call("sendMessage", messageOf("hi")));
      const ended = messageOf("again", { taskId: task.id });
      const pushed = { ...messageOf("hi"), configuration: CONFIGURED };
      const old = { headers: { "a2a-version": "0.3" } };
      const cases: readonly [Promise<unknown>, ErrorReason][] = [
        [door.call("cancelTask", { id: task.id }), "TASK_NOT_CANCELABLE"],
        [door.call("sendMessage", ended), "UNSUPPORTED_OPERATION"],
        [drained(door.stream("sendStreamingMessage", ended)), "UNSUPPORTED_OPERATION"],
        [drained(door.stream("subscribeToTask", { id: task.id })), "UNSUPPORTED_OPERATION"],
        [door.call("sendMessage", pushed), "PUSH_NOTIFICATION_NOT_SUPPORTED"],
        [door.call("getTask", { id: task.id }, old), "VERSION_NOT_SUPPORTED"],
        [drained(door.stream("subscribeToTask", { id: "x" }, old)), "VERSION_NOT_SUPPORTED"],
      ];
      await Promise.all(cases.map(([answer, reason]) => refused(door, answer, reason)));
    });

    test("an agent that does not stream says so before a stream begins", async () => {
      const door = of("silent");
      const answers = [
        drained(door.stream("sendStreamingMessage", messageOf("hi"))),
        drained(door.stream("subscribeToTask", { id: "x" })),
      ];
      await allRefused(door, answers, "UNSUPPORTED_OPERATION");
    });

    // Required extensions.
    test("a required extension is wanted by every operation and met by its own URI alone", async () => {
      const door = of("strict");
      const wrong = [undefined, "https://e.example/x/v2", "https://e.example/"];
      for (const uri of wrong) {
        const options = uri === undefined ? {} : { headers: { "a2a-extensions": uri } };
        const missing = [
          door.call("sendMessage", messageOf("hi"), options),
          door.call("getTask", { id: "x" }, options),
          door.call("listTasks", {}, options),
          door.call("cancelTask", { id: "x" }, options),
          door.call("getExtendedAgentCard", {}, options),
          drained(door.stream("subscribeToTask", { id: "x" }, options)),
          drained(door.stream("sendStreamingMessage", messageOf("hi"), options)),
        ];
        await allRefused(door, missing, "EXTENSION_SUPPORT_REQUIRED");
      }
      const headers = { "a2a-extensions": "https://e.example/y ,, https://e.example/x" };
      const task = taskIn(await door.call("sendMessage", messageOf("hi"), { headers }));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    });

    // Push configurations.
    test("push configurations are refused as not supported, by all four operations", async () => {
      const door = of("plain");
      const config = { taskId: "t", id: "c", url: "https://hook.example/x", token: "t" };
      const answers = [
        door.call("createTaskPushNotificationConfig", config),
        door.call("getTaskPushNotificationConfig", { taskId: "t", id: "c" }),
        door.call("listTaskPushNotificationConfigs", { taskId: "t" }),
        door.call("deleteTaskPushNotificationConfig", { taskId: "t", id: "c" }),
      ];
      await allRefused(door, answers, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    });

    test("a refusal with text of any kind and length arrives whole or shortened", async () => {
      const door = of("plain");
      for (const id of ["naïve 100% «x»", "多".repeat(3000), "\u0000\u0007", "a\r\nb: c", "😀 ✓"]) {
        const refusal = await refused(door, door.call("getTask", { id }), "TASK_NOT_FOUND");
        assert.equal(
          refusal.message.slice(0, 9),
          `no task ${id.at(0) === "😀" ? "\ud83d" : id[0]}`,
        );
      }
    });
  });

const CONFIGURED = { taskPushNotificationConfig: { url: "https://hook.example/x" } };
