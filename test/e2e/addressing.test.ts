/** How a request says which agent it is for, on each door. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDoors, Refusal } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { olderGrpc, OlderRefusal, olderRest, olderRpc } from "../support/older-doors.ts";
import { message, says, ScriptedHandler } from "../support/scripted-handler.ts";

const AGENTS = ["first", "second", "alone"] as const;

let gateway: RunningGateway;
let ownPort: number;

before(async () => {
  const agent = (id: string, settings = {}) => ({
    handler: new ScriptedHandler(says(message(id))),
    settings,
  });
  gateway = await runGateway({
    agents: {
      first: agent("first"),
      second: agent("second"),
      alone: agent("alone", { port: 0 }),
    },
  });
  ownPort = gateway.ownPorts.get("alone") ?? 0;
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

const older = {
  message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] },
};
const olderProto = {
  request: { message_id: "m", role: "ROLE_USER", content: [{ text: "hi" }] },
};
const newer = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } };

/** Every agent answers with its id. */
async function newerAnswers(port: number, agent?: string): Promise<readonly unknown[]> {
  const doors = openDoors(port, agent);
  const answers = [];
  for (const door of doors) {
    const { message } = await door.call("sendMessage", newer);
    answers.push((message as { parts: { text: string }[] }).parts[0]?.text);
    door.close();
  }
  return answers;
}

async function rpcAnswer(port: number, path: string): Promise<unknown> {
  const result = await olderRpc(port, path).call("message/send", older);
  return (result as { parts: { text: string }[] }).parts[0]?.text;
}

async function restAnswer(port: number, base: string): Promise<unknown> {
  const answer = await olderRest(port, base).call("POST", "/message:send", olderProto);
  const said = (answer["message"] ?? answer["msg"]) as { content: { text: string }[] };
  return said.content[0]?.text;
}

async function grpcAnswer(
  port: number,
  metadata: Record<string, string>,
  authority?: string,
): Promise<unknown> {
  const grpc = olderGrpc(port, authority);
  try {
    const { msg } = await grpc.call("SendMessage", olderProto, metadata);
    return (msg as { content: { text: string }[] }).content[0]?.text;
  } finally {
    grpc.close();
  }
}

describe("on the listener of all agents", () => {
  test("no name means the primary agent, on all six doors", async () => {
    const { port } = gateway;
    assert.deepEqual(await newerAnswers(port), ["first", "first", "first"]);
    assert.equal(await rpcAnswer(port, "/"), "first");
    assert.equal(await restAnswer(port, ""), "first");
    assert.equal(await grpcAnswer(port, {}), "first");
  });

  for (const agent of AGENTS)
    test(`${agent} is reached by its name, on all six doors`, async () => {
      const { port } = gateway;
      assert.deepEqual(await newerAnswers(port, agent), [agent, agent, agent]);
      assert.equal(await rpcAnswer(port, `/a2a/${agent}`), agent);
      assert.equal(await restAnswer(port, `/a2a/${agent}`), agent);
      assert.equal(await restAnswer(port, `/${agent}`), agent);
      assert.equal(await grpcAnswer(port, { "a2a-agent": agent }), agent);
      assert.equal(await grpcAnswer(port, {}, `${agent}.agents.example:443`), agent);
    });

  test("the metadata counts before the authority", async () => {
    const { port } = gateway;
    const answer = await grpcAnswer(port, { "a2a-agent": "second" }, "alone.example");
    assert.equal(answer, "second");
  });

  test("an authority that names no agent means the primary one", async () => {
    assert.equal(await grpcAnswer(gateway.port, {}, "nobody.example"), "first");
  });

  test("metadata that names no agent is refused", async () => {
    const answer = grpcAnswer(gateway.port, { "a2a-agent": "nobody" });
    await assert.rejects(answer, (thrown) => thrown instanceof OlderRefusal && thrown.code === 12);
  });
});

describe("on an agent's own port", () => {
  test("the root is that agent's, on all six doors", async () => {
    assert.deepEqual(await newerAnswers(ownPort), ["alone", "alone", "alone"]);
    assert.deepEqual(await newerAnswers(ownPort, "alone"), ["alone", "alone", "alone"]);
    assert.equal(await rpcAnswer(ownPort, "/"), "alone");
    assert.equal(await restAnswer(ownPort, ""), "alone");
    assert.equal(await grpcAnswer(ownPort, {}), "alone");
    assert.equal(await grpcAnswer(ownPort, {}, "second.agents.example:443"), "alone");
  });

  test("no other agent is reached", async () => {
    for (const agent of ["first", "second"]) {
      const code = (wanted: number) => (thrown: unknown) =>
        (thrown instanceof OlderRefusal || thrown instanceof Refusal) && thrown.code === wanted;
      await assert.rejects(newerAnswers(ownPort, agent), code(-32601));
      await assert.rejects(rpcAnswer(ownPort, `/a2a/${agent}`), code(-32601));
      await assert.rejects(restAnswer(ownPort, `/a2a/${agent}`), code(404));
      await assert.rejects(restAnswer(ownPort, `/${agent}`), code(404));
      await assert.rejects(grpcAnswer(ownPort, { "a2a-agent": agent }), code(12));
      const card = await sendHttp(ownPort, { path: `/a2a/${agent}/.well-known/agent-card.json` });
      assert.equal(card.status, 404);
    }
  });

  test("the card at the root is that agent's, and leads to this port", async () => {
    const { text } = await sendHttp(ownPort, { path: "/.well-known/agent-card.json" });
    const card = JSON.parse(text) as {
      readonly name: string;
      readonly url: string;
      readonly supportedInterfaces: readonly { readonly url: string }[];
      readonly additionalInterfaces: readonly { readonly url: string }[];
    };
    assert.equal(card.name, "alone");
    const interfaces = [...card.supportedInterfaces, ...card.additionalInterfaces];
    for (const url of [card.url, ...interfaces.map((each) => each.url)])
      assert.match(url, new RegExp(`^(http://)?127\\.0\\.0\\.1:${ownPort}/?$`));
  });
});
