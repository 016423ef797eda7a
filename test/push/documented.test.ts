/** The receiver's code in docs/webhooks.md, run on what is really sent. */
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { openAddressGuard } from "../../src/push/address-guard.ts";
import { openSender } from "../../src/push/sender.ts";
import type { JwtKey } from "../../src/push/signature.ts";
import { configOf, deliveryOf, noticeOf, SETTINGS } from "./support/parts.ts";
import { startReceiver, type Receiver } from "./support/receiver.ts";

interface Delivered {
  readonly gateway: string;
  readonly webhook: string;
  readonly headers: object;
  readonly body: string;
}

type Verify = (delivered: Delivered) => Promise<{ readonly jti: string }>;

const KEYS: Readonly<Record<JwtKey["algorithm"], KeyObject>> = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  EdDSA: generateKeyPairSync("ed25519").privateKey,
};

let verifiedClaims: Verify;
let gateway: Receiver;
let receiver: Receiver;
const folder = mkdtempSync(join(tmpdir(), "webhooks-"));

before(async () => {
  const [, code = assert.fail()] =
    /```js\n(.*?)```/s.exec(readFileSync("docs/webhooks.md", "utf8")) ?? [];
  const file = join(folder, "receiver.mjs");
  writeFileSync(file, code);
  ({ verifiedClaims } = (await import(pathToFileURL(file).href)) as { verifiedClaims: Verify });
  gateway = await startReceiver((response) => response.end(JSON.stringify({ keys: jwks() })));
  receiver = await startReceiver();
});

after(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([gateway.close(), receiver.close()]);
});

function jwks(): object[] {
  return Object.entries(KEYS).map(([alg, key]) => ({
    ...createPublicKey(key).export({ format: "jwk" }),
    kid: `key of ${alg}`,
    alg,
  }));
}

/** What a receiver gets of a delivery that is sent at that instant. */
async function delivered(algorithm: JwtKey["algorithm"], now: number): Promise<Delivered> {
  const issuer = new URL(gateway.url).origin;
  const privateKey = KEYS[algorithm];
  const sender = openSender({
    settings: SETTINGS,
    guard: openAddressGuard(SETTINGS),
    signer: { kid: `key of ${algorithm}`, algorithm, privateKey, issuer },
    ca: undefined,
    clock: { now: () => now },
    random: () => 0,
  });
  const { signal } = new AbortController();
  const config = configOf(receiver.url);
  await sender.send({ config, delivery: deliveryOf(7), notice: noticeOf(7), signal });
  sender.close();
  const { headers, text } = receiver.received.at(-1) ?? assert.fail();
  return { gateway: issuer, webhook: receiver.url, headers, body: text };
}

for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
  test(`the documented receiver takes a delivery that is signed with ${algorithm}`, async () => {
    const { jti } = await verifiedClaims(await delivered(algorithm, Date.now()));
    assert.equal(jti, "t1.7.c1.1");
  });

for (const [title, change, problem] of [
  ["without a signature", { headers: {} }, /not signed/],
  ["with another body", { body: "{}" }, /another body/],
  ["that was sent to another", { webhook: "https://other.example/" }, /signed for another/],
] as const)
  test(`the documented receiver refuses a delivery ${title}`, async () => {
    const sent = await delivered("ES256", Date.now());
    await assert.rejects(verifiedClaims({ ...sent, ...change }), problem);
  });

test("the documented receiver refuses a delivery that is too old", async () => {
  await assert.rejects(verifiedClaims(await delivered("ES256", Date.now() - 301_000)), /too old/);
});

test("the documented receiver refuses a signature that was changed", async () => {
  const sent = await delivered("ES256", Date.now());
  const token = String((sent.headers as Record<string, unknown>)["x-a2a-signature"]);
  const [header, , signature] = token.split(".");
  const claims = Buffer.from('{"iss":"somebody"}').toString("base64url");
  const headers = { "x-a2a-signature": `${header}.${claims}.${signature}` };
  await assert.rejects(verifiedClaims({ ...sent, headers }), /not signed by the gateway/);
});
