/** A gateway that stops takes no new agents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf, nextOf } from "../e2e/requests.ts";
import { completed, Puppet, ScriptedHandler, working } from "../support/scripted-handler.ts";
import {
  answering,
  configured,
  nobodyListens,
  running,
  SETTINGS,
  temporaryFolder,
} from "./running.ts";

const ONE = ["one", answering("one")] as const;

test("changes are refused while the gateway waits for its turns to end", async (t) => {
  const puppet = new Puppet();
  const { gateway, admin } = await running(t, {
    agents: { one: { handler: new ScriptedHandler(puppet.script) } },
    settings: { ...SETTINGS, stop: { grace: "30s" } },
    folder: await temporaryFolder(t),
  });
  const [door] = gateway.doors;
  const stream = door.stream("sendStreamingMessage", messageOf("go"));
  puppet.say(working);
  await nextOf(stream);
  const stopped = gateway.stop();
  for (const [method, path, body] of [
    ["PUT", "/agents/two", answering("two", { port: 0 })],
    ["POST", "/agents/one/enable"],
    ["POST", "/reload"],
  ] as const) {
    const { status, message } = await admin.refused(method, path, body);
    assert.deepEqual([status, message], [503, "the gateway is stopping"], path);
  }
  assert.deepEqual(await admin.ids(), ["one"]);
  assert.deepEqual([...gateway.ownPorts], []);
  puppet.say(completed);
  await stopped;
});

test("a change that is under way when the gateway stops leaves no door open", async (t) => {
  const { gateway } = await running(t, { ...configured(ONE), folder: await temporaryFolder(t) });
  const reloading = gateway.reload(
    configured(ONE, ["two", answering("two", { port: 0 })], ["three", answering("3", { port: 0 })]),
  );
  const outcome = reloading.then(
    () => "reloaded",
    (thrown: unknown) => String(thrown),
  );
  await gateway.stop();
  assert.match(await outcome, /reloaded|stopping|closed/);
  await nobodyListens();
});
