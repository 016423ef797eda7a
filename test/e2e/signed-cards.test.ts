/** Cards that are signed, and what they say to callers who came by another name or another port. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publicKeysOf } from "../../src/agents/signing/public-keys.ts";
import { checkedSignatures } from "../../src/agents/signing/verify.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp, type HttpAnswer } from "../support/http-client.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";

const CARD = "/.well-known/agent-card.json";
const KEYS = "/.well-known/jwks.json";

let folder: string;
let gateway: RunningGateway;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "a2a-signed-"));
  const { privateKey } = generateKeyPairSync("ed25519");
  await writeFile(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const handler = new ScriptedHandler(says(completed));
  gateway = await runGateway({
    folder,
    agents: {
      one: { handler, settings: { extendedCard: { description: "More" } } },
      two: { handler, settings: { port: 0 } },
      newest: { handler, settings: { v03: [] } },
    },
    settings: {
      cards: { signing: [{ file: "key.pem", kid: "k1" }] },
      allowedHosts: ["front.example"],
      trustedProxies: ["127.0.0.1"],
    },
  });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  sendHttp(gateway.port, { path, headers });

/** The forms in which the signatures of a card are valid, by the keys that the gateway shows. */
async function formsOf(card: object): Promise<readonly string[]> {
  const keys = publicKeysOf((await get(KEYS)).text);
  return checkedSignatures(card as JsonObject, keys).map(({ verdict }) =>
    verdict.kind === "valid" ? verdict.form : verdict.why,
  );
}

for (const [path, version, forms] of [
  [CARD, "1.0", ["1.0"]],
  [CARD, "0.3", ["1.0", "0.3"]],
  [CARD, undefined, ["1.0", "0.3"]],
  [`/a2a/two${CARD}`, undefined, ["1.0", "0.3"]],
  [`/a2a/newest${CARD}`, undefined, ["1.0"]],
] as const)
  test(`the card at ${path} for version ${version} is verified by the served keys`, async () => {
    const { text } = await get(path, version === undefined ? {} : { "a2a-version": version });
    assert.deepEqual(await formsOf(JSON.parse(text)), forms);
  });

test("the extended card is verified on every door", async () => {
  for (const door of gateway.doors) {
    const card = await door.call("getExtendedAgentCard", {});
    assert.equal((await formsOf(card as object))[0], "1.0", door.name);
  }
});

test("a host that nobody allowed is in no card, and in no signature", async () => {
  const plain = await get(CARD);
  for (const headers of [
    { host: "evil.example" },
    { "x-forwarded-host": "evil.example" },
    { "x-forwarded-host": "front.example", "x-forwarded-proto": "javascript" },
    { forwarded: "host=front.example@evil.example" },
  ]) {
    const answer = await get(CARD, headers);
    assert.equal(answer.text, plain.text);
    assert.equal(answer.headers["etag"], plain.headers["etag"]);
  }
});

test("an allowed host is in the card of whoever came by it, and of nobody else", async () => {
  const headers = { "x-forwarded-host": "front.example", "x-forwarded-proto": "https" };
  const { text, headers: answered } = await get(CARD, headers);
  const card = JSON.parse(text) as AgentCard;
  assert.deepEqual(
    [...new Set(card.supportedInterfaces.map(({ url }) => url))],
    ["https://front.example/a2a/one", "front.example:443"],
  );
  assert.equal((await formsOf(card))[0], "1.0");
  assert.match(String(answered["vary"]), /X-Forwarded-Host/);
  const plain = await get(CARD);
  assert.doesNotMatch(plain.text, /front\.example/);
  assert.notEqual(plain.headers["etag"], answered["etag"]);
});

test("an agent with a port of its own is at the root there, and alone", async () => {
  const { text } = await get(`/a2a/two${CARD}`, { "a2a-version": "1.0" });
  const [door] = (JSON.parse(text) as AgentCard).supportedInterfaces;
  const url = door?.url ?? assert.fail();
  const port = Number(new URL(url).port);
  assert.notEqual(port, gateway.port);
  assert.equal(new URL(url).pathname, "/");
  const own = await sendHttp(port, { path: CARD, headers: { "a2a-version": "1.0" } });
  assert.equal(own.text, text);
  assert.equal((await sendHttp(port, { path: `/a2a/one${CARD}` })).status, 404);
  assert.equal((await sendHttp(port, { path: KEYS })).text, (await get(KEYS)).text);
});
