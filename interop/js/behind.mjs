/**
 * Checks remote agents behind the gateway through its 1.0 doors: what an agent says must come through, whatever it
 * speaks. Arguments: a name for the report, the gateway's base URL, the ids of the agents.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { Report } from "./report.mjs";
import { begun, byId, collect, get, part, send, stateOf, story, textOf } from "./requests.mjs";

const [name, gateway, ...agents] = process.argv.slice(2);
if (agents.length === 0) throw new Error("usage: node behind.mjs NAME GATEWAY_URL AGENT…");

/** No UTF-8, and with a plus and a slash in its base64. */
const BYTES = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff]);
/** The Python SDKs take the bytes of 0.3's protobuf for text. */
const bytesFor = (agent) =>
  name.includes("python") && /v03-(rest|grpc)/.test(agent) ? Buffer.from("AP/+") : BYTES;

const report = new Report();
const doors = ["JSONRPC", "HTTP+JSON", "GRPC"];
await Promise.all(agents.flatMap((agent) => doors.map((binding) => checkDoor(agent, binding))));
report.close();

async function checkDoor(agent, binding) {
  const check = (title, run) =>
    report.check(`${name} ${agent} through 1.0 ${binding} ${title}`, run);
  let client;
  await check("is reached", async () => {
    client = await clientOf(agent, binding);
    await answers(client);
  });
  if (client) await checkAgent(client, check, agent);
}

async function clientOf(agent, binding) {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [
      new JsonRpcTransportFactory(),
      new RestTransportFactory(),
      new GrpcTransportFactory(),
    ],
    preferredTransports: [binding],
  });
  const card = await new DefaultAgentCardResolver().resolve(`${gateway}/a2a/${agent}/`);
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
    assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
    assert.equal(textOf(task.artifacts[0].parts), text);
    assert.equal(task.contextId, contextId);
    assert.deepEqual(await client.getTask(get(task.id)), task);
  });

  await check("gives every part back as it came", async () => {
    const data = { nested: { empty: {}, n: 1.5, text: "ü" }, list: [1, "two"] };
    const parts = [
      part("text", "see "),
      part("raw", bytesFor(agent), { mediaType: "application/octet-stream", filename: "raw.bin" }),
      part("url", "https://example.com/a?b=c", { mediaType: "image/png" }),
      part("data", data),
    ];
    const { artifacts } = await client.sendMessage(send("", { parts }));
    const [text, raw, url, object] = artifacts[0].parts;
    assert.equal(text.content.value, "see ");
    assert.deepEqual(Buffer.from(raw.content.value), bytesFor(agent));
    assert.equal(raw.mediaType, "application/octet-stream");
    assert.equal(url.content.value, "https://example.com/a?b=c");
    assert.deepEqual(object.content.value, data);
  });

  await check("streams each chunk once and in order", async () => {
    const events = await collect(client.sendMessageStream(send("chunks")));
    assert.deepEqual(story(events), {
      states: ["SUBMITTED", "WORKING", "COMPLETED"],
      text: "one two three",
    });
    const { artifacts } = await client.getTask(get(events[0][1].id));
    assert.deepEqual(
      artifacts.map(({ artifactId, parts }) => [artifactId, textOf(parts)]),
      [["story", "one two three"]],
    );
  });

  await check("tells two subscribers the same", async () => {
    const id = await begun(client, "ticks");
    const streams = [1, 2].map(() => collect(client.resubscribeTask(byId(id))));
    for (const events of await Promise.all(streams)) {
      assert.equal(story(events).states.at(-1), "COMPLETED");
      assert.equal(story(events).text, "12345");
    }
  });

  await check("goes on with a task that asked for input", async () => {
    const asked = await client.sendMessage(send("ask"));
    assert.equal(stateOf(asked), "TASK_STATE_INPUT_REQUIRED");
    assert.equal(textOf(asked.status.message.parts), "which city?");
    const done = await client.sendMessage(send("answer Paris", { taskId: asked.id }));
    assert.deepEqual([done.id, done.contextId], [asked.id, asked.contextId]);
    assert.equal(stateOf(done), "TASK_STATE_COMPLETED");
    assert.equal(textOf(done.artifacts[0].parts), "Paris");
    assert.deepEqual(
      done.history.map(({ parts }) => textOf(parts)),
      ["ask", "which city?", "answer Paris"],
    );
  });

  await check("stops the work of a canceled task", async () => {
    const mark = randomUUID();
    const id = await begun(client, `slow ${mark}`);
    assert.equal(stateOf(await client.cancelTask(byId(id))), "TASK_STATE_CANCELED");
    assert.equal(stateOf(await client.getTask(get(id))), "TASK_STATE_CANCELED");
    const { parts } = await client.sendMessage(send(`canceled? ${mark}`));
    assert.equal(textOf(parts), "yes");
  });

  await check("cancels a task that waits for input", async () => {
    const { id } = await client.sendMessage(send("ask"));
    assert.equal(stateOf(await client.cancelTask(byId(id))), "TASK_STATE_CANCELED");
  });

  await check("tells why a task failed", async () => {
    const task = await client.sendMessage(send("fail"));
    assert.equal(stateOf(task), "TASK_STATE_FAILED");
    assert.equal(textOf(task.status.message.parts), "broken on purpose");
  });
}
