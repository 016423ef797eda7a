/** What becomes of deliveries: to webhooks that are deleted, that fail, that are gone or come back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerWith, silence, taken } from "../support/receiver.ts";
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
  eachHookDoor,
  endsIn,
  generationOf,
  LOCAL,
  stageOf,
} from "./webhook-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";
import type { Hook, HookDoor } from "./webhook-face.ts";

const scripted = new ScriptedHandler(says(completed));
const PATIENT = { ...LOCAL, attempts: 30 };
const stage = stageOf({ scripted: { handler: scripted } }, PATIENT);

function hookAt(path: string): Hook {
  return { id: "h", url: stage().receiver.url(path) };
}

/** Resolves once what is due to other webhooks, were there any, would have come. */
async function passed(door: HookDoor): Promise<void> {
  const path = stage().path();
  scripted.script = says(completed);
  await door.send({ text: "hi", hook: hookAt(path) });
  await stage().receiver.until(path, endsIn("COMPLETED"));
}

eachHookDoor((name) => {
  test("nothing is sent after a deletion, neither what is tried again nor what comes later", async () => {
    const door = stage().doorOf(name, "scripted");
    const agent = new Puppet();
    scripted.script = agent.script;
    const path = stage().path();
    const { receiver } = stage();
    receiver.answers(path, answerWith(500));
    agent.say(working, artifact("a"));
    const taskId = await door.begin({ text: "hi", hook: hookAt(path) });
    await receiver.until(path, (told) => told.length > 3);
    await door.remove(taskId, "h");
    const { length } = receiver.at(path);
    agent.say(completed);
    await door.remove(taskId, "h");
    await passed(door);
    assert.equal(receiver.at(path).length, length);
    assert.deepEqual(await deliveriesOnce(stage().gateway, taskId, () => true), []);
  });

  test("a deletion cuts what is being sent", async () => {
    const door = stage().doorOf(name, "scripted");
    scripted.script = says(working, completed);
    const path = stage().path();
    const cut = new Promise<void>((resolve) => {
      stage().receiver.answers(path, (response) => void response.on("close", resolve));
    });
    const taskId = await door.begin({ text: "hi", hook: hookAt(path) });
    await stage().receiver.until(path, (told) => told.length === 1);
    await door.remove(taskId, "h");
    await cut;
    await passed(door);
    assert.equal(stage().receiver.at(path).length, 1);
  });

  test("a config made again under a deleted one's id is told the task first", async () => {
    const door = stage().doorOf(name, "scripted");
    const [old, now] = [stage().path(), stage().path()];
    stage().receiver.answers(old, silence);
    scripted.script = says(inputRequired);
    const taskId = (await door.send({ text: "hi", hook: hookAt(old) })) ?? "";
    await stage().receiver.until(old, (told) => told.length === 1);
    await door.remove(taskId, "h");
    await door.set(taskId, hookAt(now));
    scripted.script = says(completed);
    await door.send({ text: "go", taskId });
    const told = await stage().receiver.until(now, endsIn("COMPLETED"));
    assert.deepEqual(
      told.map(briefOf),
      door.version === "1.0"
        ? ["task WORKING", "status COMPLETED"]
        : ["whole WORKING", "whole COMPLETED"],
    );
    assert.equal(stage().receiver.at(old).length, 1);
  });

  test("a finished task keeps its config, and its end is told to a receiver that comes back", async () => {
    const door = stage().doorOf(name, "scripted");
    scripted.script = says(working, completed);
    const path = stage().path();
    let isBack = false;
    stage().receiver.answers(path, (response, told, count) =>
      (isBack ? taken : answerWith(503))(response, told, count),
    );
    const taskId = (await door.send({ text: "hi", hook: hookAt(path) })) ?? "";
    await stage().receiver.until(path, (told) => told.length > 4);
    assert.deepEqual(await door.list(taskId), [hookAt(path)]);
    isBack = true;
    await deliveriesOnce(stage().gateway, taskId, areAll("delivered", 3));
    const told = stage().receiver.at(path).slice(-3);
    assert.deepEqual(told.map(generationOf), [1, 2, 3]);
    assert.deepEqual(
      told.map(briefOf),
      asTold(door, ["task SUBMITTED", "status WORKING", "status COMPLETED"]),
    );
  });

  test("a receiver that is gone is left alone, and the task knows nothing of it", async () => {
    const door = stage().doorOf(name, "scripted");
    scripted.script = says(working, completed);
    const path = stage().path();
    stage().receiver.answers(path, answerWith(410));
    const taskId = (await door.send({ text: "hi", hook: hookAt(path) })) ?? "";
    await deliveriesOnce(stage().gateway, taskId, areAll("dead", 3));
    assert.equal(stage().receiver.at(path).length, 1);
    assert.deepEqual(await door.list(taskId), [hookAt(path)]);
  });

  test("a delivery is given up after its tries, and the next one is sent", async () => {
    const door = stage().doorOf(name, "scripted");
    scripted.script = says(working, completed);
    const path = stage().path();
    stage().receiver.answers(path, (response, told, count) =>
      (generationOf(told) === 2 ? answerWith(404) : taken)(response, told, count),
    );
    const taskId = (await door.send({ text: "hi", hook: hookAt(path) })) ?? "";
    const [, second] = await deliveriesOnce(stage().gateway, taskId, (all) =>
      all.every(({ state }) => state !== "due"),
    );
    assert.equal(second?.state, "dead");
    assert.equal(second.attempts, 30);
    assert.equal(second.problem, "HTTP 404; given up after 30 tries");
    const generations = stage().receiver.at(path).map(generationOf);
    assert.deepEqual(generations, [1, ...Array.from({ length: 30 }, () => 2), 3]);
  });
});

for (const name of ["JSON-RPC 1.0", "JSON-RPC 0.3"])
  test(`an artifact of five megabytes is told whole, registered through ${name}`, async () => {
    const door = stage().doorOf(name, "scripted");
    const path = stage().path();
    const text = "x".repeat(5 * 1024 * 1024);
    scripted.script = says(artifact(text), completed);
    await door.send({ text: "hi", hook: hookAt(path) });
    const told = await stage().receiver.until(path, endsIn("COMPLETED"));
    assert.ok(told.some(({ body }) => JSON.stringify(body).includes(text)));
  });

test("secrets of webhooks are in no line of the log", async () => {
  const { gateway, receiver } = stage();
  const secrets = { token: "tok-5ecret", scheme: "Bearer", credentials: "cred-5ecret" };
  for (const name of DOOR_NAMES) {
    const door = stage().doorOf(name, "scripted");
    const path = `${stage().path()}?key=url-5ecret`;
    receiver.answers(path, (response, told, count) =>
      answerWith(count > 3 ? 410 : 500)(response, told, count),
    );
    scripted.script = says(inputRequired);
    const hook = { ...hookAt(path), ...secrets };
    const taskId = (await door.send({ text: "hi", hook })) ?? "";
    await deliveriesOnce(gateway, taskId, areAll("dead", 2));
    await door.list(taskId);
    await assert.rejects(door.set(taskId, { ...hook, token: "tok-5ecret\n" }));
  }
  const about = gateway.log.lines.filter(({ message }) => message.startsWith("webhook"));
  assert.ok(about.length >= DOOR_NAMES.length);
  for (const line of gateway.log.lines) assert.doesNotMatch(JSON.stringify(line), /5ecret/);
});
