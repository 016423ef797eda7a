/** Where an agent says it is, and whether it is there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, credentials } from "@grpc/grpc-js";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import { rpcOf } from "../support/doors.ts";
import { olderGrpc, olderRpc, type Fields } from "../support/older-doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp, type HttpAnswer, type HttpRequest } from "../support/http-client.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { messageOf } from "./requests.ts";

const CARD = "/.well-known/agent-card.json";
const ORIGIN = "https://app.example";

let gateway: RunningGateway;
const handler = new ScriptedHandler(says(completed));

before(async () => {
  const settings = { extendedCard: { description: "More" } };
  gateway = await runGateway({
    agents: {
      one: { handler, settings },
      two: { handler, settings: { ...settings, name: "Two" } },
    },
    settings: { cors: { origins: [ORIGIN] } },
  });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

const send = (request: HttpRequest): Promise<HttpAnswer> => sendHttp(gateway.port, request);

async function cardAt(path: string): Promise<AgentCard> {
  const answer = await send({ path });
  assert.equal(answer.status, 200, path);
  return JSON.parse(answer.text) as AgentCard;
}

// Addresses on the card.
test("every address on a card reaches every operation of its binding", async () => {
  for (const path of [CARD, `/a2a/one${CARD}`, `/a2a/two${CARD}`]) {
    const card = await cardAt(path);
    const newest = card.supportedInterfaces.filter((each) => each.protocolVersion === "1.0");
    assert.equal(newest.length, 3);
    for (const { url, protocolBinding, tenant } of newest) {
      if (protocolBinding === "GRPC") {
        const client = new Client(url, credentials.createInsecure());
        const { path, encode, decode } = rpcOf("getExtendedAgentCard", tenant);
        const answer = await new Promise<object>((resolve, reject) => {
          client.makeUnaryRequest(path, encode, decode, {}, (error, value) =>
            error ? reject(error) : resolve(value ?? {}),
          );
        });
        client.close();
        assert.equal((answer as AgentCard).name, card.name);
        continue;
      }
      for (const base of [url, `${url}/`]) {
        const headers = { "content-type": "application/json", "a2a-version": "1.0" };
        if (protocolBinding === "JSONRPC") {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks" });
          const answer = await fetch(base, { method: "POST", headers, body });
          assert.match(await answer.text(), /"totalSize"/);
          continue;
        }
        const body = JSON.stringify(messageOf("hi"));
        const sent = await fetch(`${base}/message:send`, { method: "POST", headers, body });
        assert.equal(sent.status, 200);
        const { task } = (await sent.json()) as { readonly task: { readonly id: string } };
        assert.equal((await fetch(`${base}/tasks/${task.id}`)).status, 200);
        const extended = await fetch(`${base}/extendedAgentCard`);
        assert.equal(((await extended.json()) as AgentCard).description, "More");
        assert.equal(extended.headers.get("cache-control"), "no-store");
      }
    }
  }
});

test("every address of 0.3 on a card that names no version leads to a door of that version", async () => {
  for (const path of [CARD, `/a2a/two${CARD}`]) {
    const answer = await send({ path });
    const { name, url, preferredTransport, additionalInterfaces } = JSON.parse(
      answer.text,
    ) as OlderCard;
    const [preferred] = additionalInterfaces;
    assert.deepEqual(preferred, { url, transport: preferredTransport });
    // The address alone leads a gRPC caller to the primary agent, and to no other.
    assert.equal(additionalInterfaces.length, path === CARD ? 3 : 2);
    for (const door of additionalInterfaces) assert.equal((await olderCardAt(door)).name, name);
  }
});

interface OlderCard {
  readonly name: string;
  readonly url: string;
  readonly preferredTransport: string;
  readonly additionalInterfaces: readonly { readonly url: string; readonly transport: string }[];
}

/** The extended card, got by way of that interface. */
async function olderCardAt(door: OlderCard["additionalInterfaces"][number]): Promise<Fields> {
  if (door.transport === "GRPC") {
    const client = olderGrpc(Number(door.url.split(":").at(-1)));
    const card = await client.call("GetAgentCard", {});
    client.close();
    return card;
  }
  if (door.transport === "HTTP+JSON")
    return (await (await fetch(`${door.url}/v1/card`)).json()) as Fields;
  const { port, pathname } = new URL(door.url);
  return (await olderRpc(Number(port), pathname).call(
    "agent/getAuthenticatedExtendedCard",
    undefined,
  )) as Fields;
}

test("an agent's tasks are not found under another agent's address", async () => {
  const [one] = gateway.doorsOf("one");
  const { task } = (await one.call("sendMessage", messageOf("hi"))) as { task: { id: string } };
  for (const door of gateway.doorsOf("two"))
    await assert.rejects(door.call("getTask", { id: task.id }), /no task/);
});

// Card paths.
test("a card is found under its old name, with a slash, a query or encoded dots, and by HEAD", async () => {
  const { text } = await send({ path: `/a2a/two${CARD}` });
  for (const path of [
    "/a2a/two/.well-known/agent.json",
    `/a2a/two${CARD}/`,
    `/a2a/two${CARD}?a=1`,
    "/a2a/two/%2ewell-known/agent-card%2Ejson",
    `//a2a//two${CARD}`,
  ])
    assert.equal((await send({ path })).text, text, path);
  const head = await send({ method: "HEAD", path: `/a2a/two${CARD}` });
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal(head.headers["content-length"], String(Buffer.byteLength(text)));
  assert.equal((await send({ path: `/a2a/nobody${CARD}` })).status, 404);
});

// Hostile Host.
test("no header of a request changes a card", async () => {
  const plain = await send({ path: CARD });
  for (const headers of [
    { host: "evil.example" },
    { host: "evil.example:99" },
    { "x-forwarded-host": "evil.example" },
    { "x-forwarded-proto": "javascript" },
    { forwarded: "host=evil.example;proto=javascript" },
    { "x-forwarded-prefix": "/evil" },
  ]) {
    const answer = await send({ path: CARD, headers });
    assert.equal(answer.text, plain.text);
    assert.equal(answer.headers["etag"], plain.headers["etag"]);
    assert.doesNotMatch(answer.text, /evil|javascript/);
  }
});

// Card caching.
test("each form of a card has its own entity tag, and knows no other's", async () => {
  const older = await send({ path: CARD, headers: { "a2a-version": "0.3" } });
  const tag = String(older.headers["etag"]);
  for (const [version, status] of [
    ["0.3", 304],
    ["", 304],
    ["1.0", 200],
    ["0.3", 304],
  ] as const) {
    const headers = { "a2a-version": version, "if-none-match": tag };
    const answer = await send({ path: CARD, headers });
    assert.equal(answer.status, status, version);
    assert.equal(answer.headers["etag"] === tag, status === 304);
  }
});

test("a card that has not changed is not sent again", async () => {
  const { headers } = await send({ path: CARD });
  const etag = String(headers["etag"]);
  assert.match(String(headers["cache-control"]), /max-age=\d+/);
  assert.match(String(headers["vary"]), /A2A-Version/);
  for (const [known, status] of [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"x", ${etag}`, 304],
    ["*", 304],
    ['"x"', 200],
    ["garbage", 200],
  ] as const) {
    const answer = await send({ path: CARD, headers: { "if-none-match": known } });
    assert.equal(answer.status, status, known);
    assert.equal(answer.text === "", status === 304);
    assert.equal(answer.headers["etag"], etag);
  }
  const since = { "if-modified-since": String(headers["last-modified"]) };
  assert.equal((await send({ path: CARD, headers: since })).status, 304);
  const garbage = { "if-modified-since": "the day before yesterday" };
  assert.equal((await send({ path: CARD, headers: garbage })).status, 200);
});

// CORS.
test("a preflight is answered without credentials, and allows what A2A needs", async () => {
  const asked = {
    origin: ORIGIN,
    "access-control-request-method": "DELETE",
    "access-control-request-headers": "a2a-version,content-type",
  };
  for (const [path, methods] of [
    ["/", /^POST, OPTIONS$/],
    ["/message:send", /^POST, OPTIONS$/],
    ["/a2a/two/tasks/x/pushNotificationConfigs/y", /DELETE/],
    [CARD, /^GET, HEAD, OPTIONS$/],
  ] as const) {
    const { status, headers, text } = await send({ method: "OPTIONS", path, headers: asked });
    assert.deepEqual([status, text], [204, ""]);
    const allowed = String(headers["access-control-allow-headers"]).toLowerCase();
    for (const name of ["a2a-version", "a2a-extensions", "authorization", "content-type"])
      assert(allowed.split(", ").includes(name), `${path}: ${name}`);
    assert.match(String(headers["access-control-allow-methods"]), methods);
  }
});

test("answers to an allowed origin are readable, errors included, and to another they are not", async () => {
  for (const path of ["/tasks", "/tasks/unknown", "/nothing"]) {
    const allowed = await send({ path, headers: { origin: ORIGIN } });
    assert.equal(allowed.headers["access-control-allow-origin"], ORIGIN);
    assert.match(String(allowed.headers["vary"]), /Origin/);
    const other = await send({ path, headers: { origin: "https://evil.example" } });
    assert.equal(other.headers["access-control-allow-origin"], undefined);
  }
  const { headers } = await send({ path: CARD, headers: { origin: "https://any.example" } });
  assert.equal(headers["access-control-allow-origin"], "*");
  assert.equal(headers["access-control-allow-credentials"], undefined);
});
