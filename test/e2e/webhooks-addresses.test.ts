/** Webhooks at addresses that nobody has allowed: refused however they come in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inputRequired, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { eachHookDoor, stageOf } from "./webhook-stage.ts";
import { refusedBy } from "./webhook-doors.ts";

const handler = new ScriptedHandler(says(inputRequired));
const stage = stageOf({ asking: { handler } }, {});

const REFUSED = [
  "http://example.com/hook",
  "https://127.0.0.1/hook",
  "https://localhost:8080/hook",
  "https://0x7f.1/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/hook",
  "https://[::1]/hook",
  "https://[::ffff:192.168.0.1]/hook",
  "file:///etc/passwd",
  "/hook",
];

eachHookDoor((name) => {
  test("no way leads to an address that is not of the public internet", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = (await door.send({ text: "hi" })) ?? "";
    const turns = handler.turns.length;
    for (const url of REFUSED)
      for (const [answer, prefix] of [
        [() => door.set(taskId, { url }), door.paths.set],
        [() => door.send({ text: "hi", hook: { url } }), door.paths.sent],
        [() => door.begin({ text: "hi", hook: { url } }), door.paths.sent],
        [() => door.stream({ text: "hi", hook: { url } }), door.paths.sent],
        [() => door.send({ text: "hi", taskId, hook: { url } }), door.paths.sent],
        [() => door.stream({ text: "hi", taskId, hook: { url } }), door.paths.sent],
      ] as const) {
        const { fields, message } = await refusedBy(door, answer(), "INVALID_PARAMS");
        if (door.version === "1.0") assert.deepEqual(fields, [`${prefix}url`]);
        assert.ok(message.includes(`${prefix}url: must `), message);
        assert.ok(!message.includes("169.254"), message);
      }
    assert.equal(handler.turns.length, turns);
    assert.deepEqual(await door.list(taskId), []);
  });

  test("an address of the public internet is taken", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = (await door.send({ text: "hi" })) ?? "";
    const hook = { id: "a", url: "https://hook.example.com/x?y=z" };
    assert.deepEqual(await door.set(taskId, hook), hook);
  });
});
