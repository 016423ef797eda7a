/** The configuration is read again while the gateway runs. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { AgentControlError } from "../../src/core/ports/agent-control.ts";
import { runGateway, type GatewaySetup } from "../support/gateway.ts";
import {
  artifact,
  completed,
  Puppet,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import { artifactTexts, messageOf, taskIn } from "./requests.ts";
import { adminOf } from "./admin.ts";

const SETTINGS = { ops: { listen: "127.0.0.1:0" } };

function answering(text: string, more: object = {}) {
  const script = [{ artifact: { text } }];
  return { settings: { static: { otherwise: { script } }, ...more } };
}

async function running(t: TestContext, agents: GatewaySetup["agents"]) {
  const gateway = await runGateway({ agents, settings: SETTINGS });
  t.after(() => gateway.stop());
  const said = async (agent: string): Promise<string> => {
    const [door] = gateway.doorsOf(agent);
    return artifactTexts(taskIn(await door.call("sendMessage", messageOf("hi")))).join();
  };
  return { gateway, said, admin: adminOf(gateway.opsUrl) };
}

test("agents that the configuration adds, changes and drops are so at once; those that it leaves alone stay", async (t) => {
  const one = answering("one");
  const { gateway, said, admin } = await running(t, {
    one,
    two: answering("2"),
    four: answering("4"),
  });
  await admin.done("PUT", "/agents/mine", {
    name: "m",
    description: "",
    ...answering("mine").settings,
  });
  const changes = await gateway.reload({
    agents: { one, two: answering("two"), three: answering("three", { port: 0 }) },
    settings: SETTINGS,
  });
  assert.deepEqual(changes, { added: ["three"], changed: ["two"], removed: ["four"], later: [] });
  assert.deepEqual(
    [await said("one"), await said("two"), await said("three"), await said("mine")],
    ["one", "two", "three", "mine"],
  );
  await assert.rejects(said("four"), /no agent "four"/);
  assert.deepEqual([...gateway.ownPorts.keys()], ["three"]);
});

test("an added agent gives way to one of the configuration, and is back as soon as that is dropped", async (t) => {
  const one = answering("one");
  const { gateway, said, admin } = await running(t, { one });
  const own = { name: "m", description: "", ...answering("added").settings };
  await admin.done("PUT", "/agents/mine", own);
  const taken = await gateway.reload({
    agents: { one, mine: answering("configured") },
    settings: SETTINGS,
  });
  assert.deepEqual(taken, { added: [], changed: ["mine"], removed: [], later: [] });
  assert.equal(await said("mine"), "configured");

  const givenBack = await gateway.reload({ agents: { one }, settings: SETTINGS });
  assert.deepEqual(givenBack, taken);
  assert.equal(await said("mine"), "added");
  await admin.done("DELETE", "/agents/mine");
  assert.deepEqual(await admin.ids(), ["one"]);
});

test("another agent can become the primary one, and its cards say so", async (t) => {
  const { gateway } = await running(t, { one: answering("1"), two: answering("2") });
  const { port } = gateway;
  const gRPC = async (agent: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/a2a/${agent}/.well-known/agent-card.json`);
    const card = (await answer.json()) as {
      readonly additionalInterfaces: readonly { readonly transport: string }[];
    };
    return card.additionalInterfaces.filter(({ transport }) => transport === "GRPC").length;
  };
  assert.deepEqual([await gRPC("one"), await gRPC("two")], [1, 0]);
  await gateway.reload({
    agents: { one: answering("1"), two: answering("2") },
    settings: { ...SETTINGS, primary: "two" },
  });
  assert.deepEqual([await gRPC("one"), await gRPC("two")], [0, 1]);
  const [door] = gateway.doors;
  assert.deepEqual(artifactTexts(taskIn(await door.call("sendMessage", messageOf("hi")))), ["2"]);
});

test("a configuration with a mistake is refused whole: what was served still is", async (t) => {
  const { gateway, said } = await running(t, { one: answering("one"), two: answering("two") });
  const refused = (agents: GatewaySetup["agents"], settings: object = {}) =>
    assert.rejects(gateway.reload({ agents, settings: { ...SETTINGS, ...settings } }), (thrown) => {
      assert.ok(AgentControlError.is(thrown));
      assert.equal(thrown.kind, "invalid");
      assert.ok(thrown.problems.length > 0);
      return true;
    });
  await refused({ one: { settings: { nonsense: 1, static: {} } } });
  await refused({ one: answering("1"), two: { settings: { module: "./no-such-file.ts" } } });
  await refused({ one: answering("1") }, { primary: "nobody" });
  assert.deepEqual([await said("one"), await said("two")], ["one", "two"]);
});

test("a port that is not to be had refuses the whole change", async (t) => {
  const { gateway, said } = await running(t, { one: answering("one") });
  const taken = answering("3", { port: gateway.port });
  await assert.rejects(
    gateway.reload({
      agents: { one: answering("1"), two: answering("2", { port: 0 }), three: taken },
      settings: SETTINGS,
    }),
    /is in use \(setting agents\.three\.port/,
  );
  assert.equal(await said("one"), "one");
  assert.deepEqual([...gateway.ownPorts.keys()], []);
});

test("a turn that is under way ends as it began, while the next one is the new definition's", async (t) => {
  const puppet = new Puppet();
  const handler = new ScriptedHandler(puppet.script);
  const { gateway, said } = await running(t, { one: answering("1"), two: { handler } });
  const [door] = gateway.doorsOf("two");
  const stream = door.stream("sendStreamingMessage", messageOf("go"));
  puppet.say(working);
  await stream.next();
  await gateway.reload({
    agents: { one: answering("1"), two: answering("new") },
    settings: SETTINGS,
  });
  assert.equal(await said("two"), "new");
  puppet.say(artifact("old"), completed);
  const events: string[] = [];
  for await (const { response } of stream) events.push(JSON.stringify(response));
  assert.match(events.join("\n"), /"old"[^]*TASK_STATE_COMPLETED/);
});

test("settings that count only from the start on are named", async (t) => {
  const { gateway } = await running(t, { one: answering("1") });
  const { later } = await gateway.reload({
    agents: { one: answering("1") },
    settings: { ...SETTINGS, limits: { pageSize: 7 }, sse: { heartbeat: "1s" } },
  });
  assert.deepEqual(later, ["limits", "sse"]);
});
