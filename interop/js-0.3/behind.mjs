/**
 * Checks remote agents behind the gateway through its 0.3 doors: what an agent says must come through, whatever it
 * speaks. Arguments: a name for the report, the gateway's base URL, the ids of the agents.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCardResolver, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { Report } from "./report.mjs";
import { begun, byId, collect, finals, get, send, story, textOf } from "./requests.mjs";

const [name, gateway, ...agents] = process.argv.slice(2);
if (agents.length === 0) throw new Error("usage: node behind.mjs NAME GATEWAY_URL AGENT…");

/** No UTF-8, and with a plus and a slash in its base64. */
const BYTES = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff]).toString("base64");
/** The Python SDKs take the bytes of protobuf for text. */
const bytesFor = (agent) =>
  name.includes("python") && /v03-(rest|grpc)/.test(agent) ? BYTES_OF_TEXT : BYTES;
const BYTES_OF_TEXT = Buffer.from("AP/+").toString("base64");

const report = new Report();
const doors = ["JSONRPC", "HTTP+JSON", "GRPC"];
await Promise.all(agents.flatMap((agent) => doors.map((binding) => checkDoor(agent, binding))));
report.close();

async function checkDoor(agent, binding) {
  const check = (title, run) =>
    report.check(`${name} ${agent} through 0.3 ${binding} ${title}`, run);
  let client;
  await check("is reached", async () => {
    client = await clientOf(agent, binding);
    await answers(client);
  });
  if (client) await checkAgent(client, check, agent);
}

async function clientOf(agent, binding) {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory()],
    preferredTransports: [binding],
  });
  const card = await AgentCardResolver.default.resolve(`${gateway}/a2a/${agent}/`);
  return new ClientFactory(options).createFromAgentCard(card);
}

/** The gateway may not have found its agents yet. */
async function answers(client) {
  for (let attempts = 20; ; attempts--) {
    try {
      return await client.sendMessage(send("hello"));
    } catch (thrown) {
      if (attempts === 0) throw thrown;
      await sleep(100);
    }
  }
}

async function checkAgent(client, check, agent) {
  await check("answers with a message", async () => {
    const message = await client.sendMessage(send("hello"));
    assert.equal(textOf(message.parts), "hello back");
  });

  await check("answers with a finished task, in the context of its caller", async () => {
    const contextId = `ctx-${randomUUID()}`;
    const text = "grüße an alle 🙂";
    const task = await client.sendMessage(send(text, { contextId }));
    assert.equal(task.status.state, "completed");
    assert.equal(textOf(task.artifacts[0].parts), text);
    assert.equal(task.contextId, contextId);
    assert.deepEqual(await client.getTask(get(task.id)), task);
  });

  await check("gives every part back as it came", async () => {
    const data = { nested: { empty: {}, n: 1.5, text: "ü" }, list: [1, "two"] };
    const parts = [
      { kind: "text", text: "see " },
      { kind: "file", file: { bytes: bytesFor(agent), mimeType: "application/octet-stream" } },
      { kind: "file", file: { uri: "https://example.com/a?b=c", mimeType: "image/png" } },
      { kind: "data", data },
    ];
    const { artifacts } = await client.sendMessage(send("", { parts }));
    const [text, bytes, uri, object] = artifacts[0].parts;
    assert.equal(text.text, "see ");
    assert.equal(bytes.file.bytes, bytesFor(agent));
    assert.equal(bytes.file.mimeType, "application/octet-stream");
    assert.equal(uri.file.uri, "https://example.com/a?b=c");
    assert.deepEqual(object.data, data);
  });

  await check("streams each chunk once and in order", async () => {
    const events = await collect(client.sendMessageStream(send("chunks")));
    assert.deepEqual(story(events), {
      states: ["submitted", "working", "completed"],
      text: "one two three",
    });
    assert.deepEqual(
      finals(events),
      events.map((_event, index) => index === events.length - 1),
    );
    const { artifacts } = await client.getTask(get(events[0].id));
    assert.deepEqual(
      artifacts.map(({ artifactId, parts }) => [artifactId, textOf(parts)]),
      [["story", "one two three"]],
    );
  });

  await check("tells two subscribers the same", async () => {
    const id = await begun(client, "ticks");
    const streams = [1, 2].map(() => collect(client.resubscribeTask(byId(id))));
    for (const events of await Promise.all(streams)) {
      assert.equal(story(events).states.at(-1), "completed");
      assert.equal(story(events).text, "12345");
    }
  });

  await check("goes on with a task that asked for input", async () => {
    const asked = await client.sendMessage(send("ask"));
    assert.equal(asked.status.state, "input-required");
    assert.equal(textOf(asked.status.message.parts), "which city?");
    const done = await client.sendMessage(send("answer Paris", { taskId: asked.id }));
    assert.deepEqual([done.id, done.contextId], [asked.id, asked.contextId]);
    assert.equal(done.status.state, "completed");
    assert.equal(textOf(done.artifacts[0].parts), "Paris");
    assert.deepEqual(
      done.history.map(({ parts }) => textOf(parts)),
      ["ask", "which city?", "answer Paris"],
    );
  });

  await check("stops the work of a canceled task", async () => {
    const mark = randomUUID();
    const id = await begun(client, `slow ${mark}`);
    assert.equal((await client.cancelTask(byId(id))).status.state, "canceled");
    assert.equal((await client.getTask(get(id))).status.state, "canceled");
    const { parts } = await client.sendMessage(send(`canceled? ${mark}`));
    assert.equal(textOf(parts), "yes");
  });

  await check("cancels a task that waits for input", async () => {
    const { id } = await client.sendMessage(send("ask"));
    assert.equal((await client.cancelTask(byId(id))).status.state, "canceled");
  });

  await check("tells why a task failed", async () => {
    const task = await client.sendMessage(send("fail"));
    assert.equal(task.status.state, "failed");
    assert.equal(textOf(task.status.message.parts), "broken on purpose");
  });
}
