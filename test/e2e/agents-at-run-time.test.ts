/** Agents come and go while the gateway runs. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { runGateway, type GatewaySetup, type RunningGateway } from "../support/gateway.ts";
import { completed, Puppet, ScriptedHandler } from "../support/scripted-handler.ts";
import { adminOf } from "./admin.ts";
import { asTask, atOnce, messageOf, taskIn } from "./requests.ts";
import { sixDoors } from "./six-doors.ts";

const OPS = { ops: { listen: "127.0.0.1:0" } };
const SAYS_HI = {
  name: "Hi",
  description: "Says hi",
  static: { otherwise: { script: [{ artifact: { text: "hi" } }] } },
};

async function running(t: TestContext, setup: Partial<GatewaySetup> = {}) {
  const gateway = await runGateway({
    agents: { one: { settings: SAYS_HI } },
    settings: OPS,
    ...setup,
  });
  t.after(() => gateway.stop());
  return { gateway, admin: adminOf(gateway.opsUrl) };
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-e2e-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function answers(gateway: RunningGateway, agent: string): Promise<string> {
  const states = await Promise.all(
    gateway.doorsOf(agent).map(async (door) => {
      const { status } = taskIn(await door.call("sendMessage", messageOf("hello")));
      return status.state;
    }),
  );
  return states.join(" ");
}

const ALL_DONE = "TASK_STATE_COMPLETED TASK_STATE_COMPLETED TASK_STATE_COMPLETED";

async function cardStatus({ port }: RunningGateway, agent: string): Promise<number> {
  const url = `http://127.0.0.1:${port}/a2a/${agent}/.well-known/agent-card.json`;
  return (await fetch(url)).status;
}

test("an agent that was added answers on every door at once, and after the next start", async (t) => {
  const folder = await folderFor(t);
  const first = await running(t, { folder });
  assert.equal(await cardStatus(first.gateway, "two"), 404);
  await first.admin.done("PUT", "/agents/two", SAYS_HI);
  assert.equal(await answers(first.gateway, "two"), ALL_DONE);
  assert.deepEqual(await first.admin.ids(), ["one", "two"]);
  await first.gateway.stop();

  const second = await running(t, { folder });
  assert.deepEqual(await second.admin.ids(), ["one", "two"]);
  assert.equal(await answers(second.gateway, "two"), ALL_DONE);

  await second.admin.done("DELETE", "/agents/two");
  assert.equal(await cardStatus(second.gateway, "two"), 404);
  await assert.rejects(answers(second.gateway, "two"), /no agent "two"/);
  await second.gateway.stop();
  const third = await running(t, { folder });
  assert.deepEqual(await third.admin.ids(), ["one"]);
});

test("an added agent with a port of its own has it while it is there, on all six doors", async (t) => {
  const { gateway, admin } = await running(t);
  await admin.done("PUT", "/agents/two", { ...SAYS_HI, port: 0 });
  const port = gateway.ownPorts.get("two") ?? assert.fail("no port");
  for (const door of sixDoors(port)) {
    const { state } = await door.send({ messageId: door.name, text: "hello" });
    assert.equal(state, "completed", door.name);
    door.close();
  }
  await admin.done("PUT", "/agents/two", { ...SAYS_HI, name: "Other", port: 0 });
  assert.equal(gateway.ownPorts.get("two"), port);
  const card = await fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`);
  assert.equal(((await card.json()) as { name: string }).name, "Other");

  await admin.done("DELETE", "/agents/two");
  assert.equal(gateway.ownPorts.size, 0);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
});

test("a disabled agent is there for nobody, its task goes on, and it stays so after a start", async (t) => {
  const folder = await folderFor(t);
  const puppet = new Puppet();
  const setup = {
    folder,
    agents: { one: { settings: SAYS_HI }, two: { handler: new ScriptedHandler(puppet.script) } },
  };
  const { gateway, admin } = await running(t, setup);
  const [door] = gateway.doorsOf("two");
  const { id } = taskIn(await door.call("sendMessage", atOnce("go")));

  await admin.done("POST", "/agents/two/disable");
  assert.deepEqual(await admin.ids(), ["one", "-two"]);
  assert.equal(await cardStatus(gateway, "two"), 404);
  await assert.rejects(door.call("getTask", { id }), /no agent "two"/);
  puppet.say(completed);
  const ended = async (): Promise<string> =>
    ((await admin.done("GET", `/tasks/${id}`)) as { readonly state: string }).state;
  while ((await ended()) !== "TASK_STATE_COMPLETED");
  await gateway.stop();

  const next = await running(t, setup);
  assert.deepEqual(await next.admin.ids(), ["one", "-two"]);
  await next.admin.done("POST", "/agents/two/enable");
  const [again] = next.gateway.doorsOf("two");
  assert.equal(asTask(await again.call("getTask", { id })).status.state, "TASK_STATE_COMPLETED");
});

test("the turns of an agent that is removed end, and their callers hear of it", async (t) => {
  const { gateway, admin } = await running(t);
  const slow = { otherwise: { script: [{ status: "working" }, { delay: "1h" }] } };
  await admin.done("PUT", "/agents/two", { name: "Slow", description: "", static: slow });
  const [door] = gateway.doorsOf("two");
  const stream = door.stream("sendStreamingMessage", messageOf("go"));
  assert.ok((await stream.next()).value);
  await admin.done("DELETE", "/agents/two");
  let last: unknown;
  for await (const { response } of stream) last = response;
  assert.match(JSON.stringify(last), /TASK_STATE_FAILED.*the agent was removed from the gateway/);
});

test("a definition that cannot be used is refused with every problem, and changes nothing", async (t) => {
  const { admin } = await running(t);
  const put = (id: string, body: unknown) => admin.refused("PUT", `/agents/${id}`, body);
  const wrong = await put("two", { nmae: "x", static: { rules: 1 } });
  assert.equal(wrong.status, 400);
  assert.deepEqual([...wrong.problems].sort(), [
    "description: missing, expected text",
    "name: missing, expected text",
    'nmae: unknown key, did you mean "name"?',
    "static.rules: expected a list, got 1",
  ]);
  assert.deepEqual(
    (await put("two", { ...SAYS_HI, static: { otherwise: { script: [{ status: "{{" }] } } }))
      .status,
    400,
  );
  const noCard = { upstream: { card: "no-such.json" } };
  assert.deepEqual((await put("two", noCard)).problems, ["upstream.card: no such file"]);
  assert.equal((await put("Two", SAYS_HI)).status, 400);
  assert.equal((await put("tasks", SAYS_HI)).status, 400);
  assert.deepEqual(await admin.ids(), ["one"]);
});

test("nothing that is added runs a program, or reads a file outside of the folder", async (t) => {
  const { admin } = await running(t);
  const problemsOf = async (definition: object) =>
    (await admin.refused("PUT", "/agents/two", definition)).problems;
  const runs = { name: "x", description: "" };
  assert.deepEqual(await problemsOf({ ...runs, exec: { command: "id" } }), [
    "exec: agents of the kind exec run programs",
  ]);
  assert.deepEqual(await problemsOf({ ...runs, module: "./x.ts" }), [
    "module: agents of the kind module run programs",
  ]);
  const url = "http://127.0.0.1:1";
  for (const file of ["/etc/passwd", "../secret", "a/../../secret", ".."]) {
    const upstream = { url, auth: { bearer: { file } } };
    const [problem = ""] = await problemsOf({ upstream });
    assert.match(problem, /^upstream\.auth\.bearer\.file: expected a path below/, file);
  }
});

test("what would clash is refused: a configured id, a port that is taken, the primary agent", async (t) => {
  const { gateway, admin } = await running(t, {
    agents: { one: { settings: SAYS_HI }, own: { settings: { ...SAYS_HI, port: 0 } } },
  });
  const refusal = async (method: string, path: string, body?: unknown) => {
    const { status, message } = await admin.refused(method, path, body);
    return `${status} ${message}`;
  };
  assert.equal(
    await refusal("PUT", "/agents/one", SAYS_HI),
    "409 agent one stands in the configuration",
  );
  assert.equal(await refusal("DELETE", "/agents/one"), "409 agent one stands in the configuration");
  assert.equal(await refusal("POST", "/agents/one/disable"), "409 agent one is the primary agent");
  assert.equal(
    await refusal("POST", "/agents/one/refresh"),
    "409 agent one is not remote, or disabled",
  );
  assert.equal(await refusal("POST", "/agents/two/enable"), '404 no agent "two"');
  const port = gateway.ownPorts.get("own");
  assert.match(await refusal("PUT", "/agents/two", { ...SAYS_HI, port }), /^409 .*is in use/);
  assert.deepEqual(await admin.ids(), ["one", "own"]);
  assert.deepEqual([...gateway.ownPorts.keys()], ["own"]);
});

test("what is secret in a definition is not shown, and works", async (t) => {
  const { admin } = await running(t);
  const definition = {
    upstream: {
      url: "http://127.0.0.1:1/x",
      headers: { "x-key": "s3cret" },
      auth: { basic: { username: "ann", password: "s3cret" } },
    },
  };
  const added = await admin.done("PUT", "/agents/two", definition);
  const shown = await admin.done("GET", "/agents/two");
  for (const body of [added, shown, await admin.done("GET", "/agents")])
    assert.doesNotMatch(JSON.stringify(body), /s3cret/);
  assert.match(JSON.stringify(shown), /"username":"ann","password":"\(hidden\)"/);
});

test("a remote agent that is away at a start has the card that it was last known by, and comes back", async (t) => {
  const folder = await folderFor(t);
  const remote = await runGateway({ agents: { far: { settings: SAYS_HI } } });
  const { port } = remote;
  const upstream = { url: `http://127.0.0.1:${port}/a2a/far` };
  const first = await running(t, { folder });
  await first.admin.done("PUT", "/agents/near", { upstream });
  await first.gateway.stop();
  await remote.stop();

  const second = await running(t, { folder });
  const answer = await fetch(
    `http://127.0.0.1:${second.gateway.port}/a2a/near/.well-known/agent-card.json`,
  );
  const card = (await answer.json()) as { readonly name: string; readonly description: string };
  assert.deepEqual([card.name, card.description], ["Hi", "Says hi"]);
  const [door] = second.gateway.doorsOf("near");
  await assert.rejects(
    door.call("sendMessage", messageOf("hello")),
    /cannot be reached|not been reached/,
  );

  const back = await runGateway({
    agents: { far: { settings: SAYS_HI } },
    settings: { listen: `127.0.0.1:${port}` },
  });
  t.after(() => back.stop());
  await second.admin.done("POST", "/agents/near/refresh");
  let state: string | undefined;
  while (state !== "TASK_STATE_COMPLETED") {
    state = await door.call("sendMessage", messageOf("hello")).then(
      (sent) => taskIn(sent).status.state,
      () => undefined,
    );
  }
});

test("agents that lead to one another end in an error, and not in ever more tasks", async (t) => {
  const { gateway, admin } = await running(t);
  const at = (agent: string) => `http://127.0.0.1:${gateway.port}/a2a/${agent}`;
  await admin.done("PUT", "/agents/ping", { upstream: at("pong") });
  await admin.done("PUT", "/agents/pong", { upstream: at("ping") });
  for (const agent of ["ping", "pong"]) await admin.done("POST", `/agents/${agent}/refresh`);
  for (const door of gateway.doorsOf("ping"))
    await assert.rejects(
      door.call("sendMessage", messageOf("round")),
      /come through 8 gateways|not been reached/,
    );
});
