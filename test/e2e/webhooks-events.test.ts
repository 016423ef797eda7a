/** What webhooks are told, and how: on the six doors, in the form of each. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { HandlerEvent } from "../../src/core/ports/handler.ts";
import { deferred, type Deferred } from "../../src/core/deferred.ts";
import { answerWith, taken } from "../support/receiver.ts";
import {
  artifact,
  authRequired,
  chunk,
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
  eachHookDoor,
  endsIn,
  generationOf,
  LOCAL,
  stageOf,
  taskTold,
} from "./webhook-stage.ts";
import type { Hook } from "./webhook-face.ts";

const scripted = new ScriptedHandler(says(completed));
const CHUNKED = says(
  working,
  artifact("one "),
  { kind: "artifact", artifact: { artifactId: "c", parts: [{ text: "two " }] }, lastChunk: false },
  chunk("three ", "c"),
  chunk("four", "c", true),
  completed,
);
const chunked = new ScriptedHandler(CHUNKED);
const pushing = (events: string) => ({ handler: chunked, settings: { push: { events } } });
const stage = stageOf(
  {
    scripted: { handler: scripted },
    once: {
      handler: new ScriptedHandler(says(completed)),
      settings: { idempotencyWindow: "1h" },
    },
    all: { handler: scripted, settings: { push: { events: "all" } } },
    quiet: pushing("status"),
    usual: { handler: chunked },
    loud: pushing("all"),
  },
  { ...LOCAL, attempts: 100 },
);

function hookAt(path: string): Hook {
  return { id: "h 1", url: stage().receiver.url(path) };
}

eachHookDoor((name) => {
  test("a delivery is in the form of the version that registered it, with headers that name it", async () => {
    const door = stage().doorOf(name, "scripted");
    const path = stage().path();
    stage().receiver.answers(path, (response, told, count) =>
      (count === 2 ? answerWith(500) : taken)(response, told, count),
    );
    scripted.script = says(completed);
    const secrets = { token: "t0", scheme: "Bearer", credentials: "c0" };
    const taskId = await door.send({ text: "hi", hook: { ...hookAt(path), ...secrets } });
    const told = await stage().receiver.until(path, (all) => all.length === 3);
    const types = { "1.0": "application/a2a+json", "0.3": "application/json" };
    for (const { headers, body } of told) {
      assert.equal(headers["content-type"], types[door.version]);
      assert.equal(headers["a2a-version"], door.version);
      assert.equal(headers["authorization"], "Bearer c0");
      assert.equal(headers["x-a2a-notification-token"], "t0");
      assert.equal(headers["a2a-notification-token"], "t0");
      assert.match(String(headers["traceparent"]), /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
      assert.equal(body["kind"], door.version === "0.3" ? "task" : undefined);
      if (door.version === "1.0") assert.equal(Object.keys(body).length, 1);
      else assert.equal(body["id"], taskId);
    }
    assert.deepEqual(
      told.map(({ headers }) => [headers["a2a-delivery-id"], headers["a2a-delivery-attempt"]]),
      [
        [`${taskId}.1.h%201`, "1"],
        [`${taskId}.2.h%201`, "1"],
        [`${taskId}.2.h%201`, "2"],
      ],
    );
  });

  for (const [given, authorization, token] of [
    [{ scheme: "bearer", credentials: "c" }, "bearer c", undefined],
    [{ scheme: "Basic", credentials: "dTpw" }, "Basic dTpw", undefined],
    [{ scheme: "Bearer" }, undefined, undefined],
    [{ token: "only" }, undefined, "only"],
    [{}, undefined, undefined],
  ] as const)
    test(`a config with ${JSON.stringify(given)} sends that and nothing half`, async () => {
      const door = stage().doorOf(name, "scripted");
      const path = stage().path();
      scripted.script = says(completed);
      await door.send({ text: "hi", hook: { ...hookAt(path), ...given } });
      for (const { headers } of await stage().receiver.until(path, endsIn("COMPLETED"))) {
        assert.equal(headers["authorization"], authorization);
        assert.equal(headers["x-a2a-notification-token"], token);
        assert.equal(headers["a2a-notification-token"], token);
      }
    });

  for (const [agent, events] of [
    ["quiet", ["task SUBMITTED", "status WORKING", "status COMPLETED"]],
    [
      "usual",
      [
        "task SUBMITTED",
        "status WORKING",
        "artifact one ",
        "artifact two three four",
        "status COMPLETED",
      ],
    ],
    [
      "loud",
      [
        "task SUBMITTED",
        "status WORKING",
        "artifact one ",
        "artifact two ",
        "artifact three ",
        "artifact four",
        "status COMPLETED",
      ],
    ],
  ] as const)
    test(`an agent tells as much as it is set to (${agent})`, async () => {
      const door = stage().doorOf(name, agent);
      const path = stage().path();
      await door.send({ text: "hi", hook: hookAt(path) });
      const told = await stage().receiver.until(path, endsIn("COMPLETED"));
      assert.deepEqual(told.map(briefOf), asTold(door, events));
    });

  test("a task that waits for its caller or for credentials says so, and what comes after", async () => {
    const door = stage().doorOf(name, "scripted");
    const path = stage().path();
    const agent = new Puppet();
    scripted.script = agent.script;
    agent.say(authRequired);
    const taskId = await door.send({ text: "hi", hook: hookAt(path) });
    await stage().receiver.until(path, endsIn("AUTH_REQUIRED"));
    agent.say(working, inputRequired);
    agent.end();
    await stage().receiver.until(path, endsIn("INPUT_REQUIRED"));
    scripted.script = says(completed);
    await door.send({ text: "the red one", taskId: taskId ?? "" });
    const told = await stage().receiver.until(path, endsIn("COMPLETED"));
    assert.deepEqual(
      told.map(briefOf),
      asTold(door, [
        "task SUBMITTED",
        "status AUTH_REQUIRED",
        "status WORKING",
        "status INPUT_REQUIRED",
        "status WORKING",
        "status COMPLETED",
      ]),
    );
  });

  test("a canceled task says so", async () => {
    const door = stage().doorOf(name, "scripted");
    const path = stage().path();
    scripted.script = async function* ({ signal }) {
      yield working;
      await once(signal, "abort");
    };
    const taskId = await door.begin({ text: "hi", hook: hookAt(path) });
    await stage().receiver.until(path, endsIn("WORKING"));
    await stage().gateway.doorsOf("scripted")[0].call("cancelTask", { id: taskId });
    const told = await stage().receiver.until(path, endsIn("CANCELED"));
    assert.deepEqual(
      told.map(briefOf),
      asTold(door, ["task SUBMITTED", "status WORKING", "status CANCELED"]),
    );
  });

  test("a config that is made between two events is told the task as it is, and misses none after", async () => {
    const door = stage().doorOf(name, "all");
    const made = new Map<string, Deferred<void>>();
    scripted.script = async function* ({ message }): AsyncIterable<HandlerEvent> {
      yield working;
      for (let n = 0; n < 30; n++) {
        yield artifact(`${n}`, `a${n}`);
        await setImmediate();
      }
      await made.get(message.parts[0]?.text ?? "")?.promise;
      yield artifact("30", "last");
      yield completed;
    };
    await Promise.all(
      Array.from({ length: 16 }, async (_, round) => {
        const text = `round ${round}`;
        made.set(text, deferred());
        const path = stage().path();
        const taskId = await door.begin({ text });
        for (let n = 0; n < round * 2; n++) await setImmediate();
        await door.set(taskId, hookAt(path));
        made.get(text)?.resolve();
        const told = await stage().receiver.until(path, endsIn("COMPLETED"));
        const [first = assert.fail()] = told;
        const since = generationOf(first);
        assert.deepEqual(
          told.map(generationOf),
          told.map((_each, index) => since + index),
        );
        // Generation 1 is the task, 2 that it works, each one after that an artifact.
        const artifacts = (taskTold(first)["artifacts"] ?? []) as readonly object[];
        assert.equal(artifacts.length, since - 2);
        assert.equal(told.length, 34 - since + 1);
        if (door.version === "0.3") return;
        const events = Array.from({ length: 31 }, (_each, n) => `artifact ${n}`);
        assert.deepEqual(told.slice(1, -1).map(briefOf), events.slice(since - 2));
      }),
    );
  });

  test("events come in their order, whatever fails on the way", async () => {
    const door = stage().doorOf(name, "all");
    const path = stage().path();
    scripted.script = says(...Array.from({ length: 20 }, (_, n) => artifact(`${n}`)), completed);
    const successes: number[] = [];
    stage().receiver.answers(path, (response, told, count) => {
      // Two of three fail, some of them without an answer.
      if (count % 3 === 1) return answerWith(count % 2 === 1 ? 500 : 301)(response, told, count);
      if (count % 3 === 2) return void response.destroy();
      successes.push(generationOf(told));
      taken(response, told, count);
    });
    await door.send({ text: "hi", hook: hookAt(path) });
    await stage().receiver.until(path, () => successes.length === 22);
    assert.deepEqual(
      successes,
      Array.from({ length: 22 }, (_, n) => n + 1),
    );
  });
});

test("webhooks of one task are told in the form of the version that registered each", async () => {
  const { receiver } = stage();
  scripted.script = says(inputRequired);
  const older = stage().doorOf("gRPC 0.3", "scripted");
  const newer = stage().doorOf("HTTP+JSON 1.0", "scripted");
  const [first, second, third] = [stage().path(), stage().path(), stage().path()];
  const url = receiver.url(first);
  const taskId = (await older.send({ text: "hi", hook: { id: "a", url } })) ?? "";
  await newer.set(taskId, { id: "b", url: receiver.url(second) });
  scripted.script = says(completed);
  const hook = { id: "c", url: receiver.url(third) };
  await stage().doorOf("JSON-RPC 0.3", "scripted").send({ text: "go", taskId, hook });
  for (const [path, events] of [
    [first, ["whole SUBMITTED", "whole INPUT_REQUIRED", "whole WORKING", "whole COMPLETED"]],
    [second, ["task WORKING", "status COMPLETED"]],
    [third, ["whole WORKING", "whole COMPLETED"]],
  ] as const) {
    const told = await receiver.until(path, endsIn("COMPLETED"));
    assert.deepEqual(told.map(briefOf), events);
  }
});

test("a message that is sent again has one webhook, which is told once", async () => {
  const { gateway, receiver } = stage();
  const path = stage().path();
  const request = {
    message: { messageId: "again", role: "ROLE_USER", parts: [{ text: "hi" }] },
    configuration: { taskPushNotificationConfig: { url: receiver.url(path) } },
  };
  const doors = gateway.doorsOf("once");
  const answers = await Promise.all(doors.map((door) => door.call("sendMessage", request)));
  const ids = new Set(answers.map((answer) => (answer["task"] as { readonly id: string }).id));
  assert.equal(ids.size, 1);
  const [taskId = ""] = ids;
  const { configs } = await doors[0].call("listTaskPushNotificationConfigs", { taskId });
  assert.equal((configs as object[]).length, 1);
  await deliveriesOnce(gateway, taskId, areAll("delivered", 2));
  assert.deepEqual(receiver.at(path).map(briefOf), ["task SUBMITTED", "status COMPLETED"]);
});
