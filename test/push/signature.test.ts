import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { openAddressGuard } from "../../src/push/address-guard.ts";
import { openSender } from "../../src/push/sender.ts";
import { signatureOf, type JwtKey, type SignedDelivery } from "../../src/push/signature.ts";
import { configOf, deliveryOf, noticeOf, SETTINGS } from "./support/parts.ts";
import { startReceiver } from "./support/receiver.ts";

const DELIVERY: SignedDelivery = {
  deliveryId: "t1.7.c1",
  attempt: 2,
  taskId: "t1",
  url: "https://hooks.example.com/a?b=c",
  body: '{"a":"\u00e9"}',
  now: 1_767_225_600_999,
};

const KEYS: Readonly<Record<JwtKey["algorithm"], JwtKey["privateKey"]>> = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  EdDSA: generateKeyPairSync("ed25519").privateKey,
};

const jsonOf = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");

for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
  test(`a token in ${algorithm} says what was sent, to whom and when, and holds for five minutes`, () => {
    const privateKey = KEYS[algorithm];
    const signer = { kid: "k1", algorithm, privateKey, issuer: "https://gateway.example.com" };
    const [header, claims, signature = ""] = signatureOf(signer, DELIVERY).split(".");
    assert.deepEqual(jsonOf(header), { alg: algorithm, typ: "JWT", kid: "k1" });
    assert.deepEqual(jsonOf(claims), {
      iss: "https://gateway.example.com",
      aud: "https://hooks.example.com/a?b=c",
      iat: 1_767_225_600,
      exp: 1_767_225_900,
      jti: "t1.7.c1.2",
      task_id: "t1",
      body_sha256: sha256(DELIVERY.body),
    });
    const key = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" } as const;
    const hash = algorithm === "EdDSA" ? null : "sha256";
    const input = Buffer.from(`${header}.${claims}`);
    assert(verify(hash, input, key, Buffer.from(signature, "base64url")));
  });

test("every try is signed anew, over the very bytes that are sent", async () => {
  const receiver = await startReceiver();
  const sender = openSender({
    settings: SETTINGS,
    guard: openAddressGuard(SETTINGS),
    signer: { kid: "k1", algorithm: "ES256", privateKey: KEYS.ES256, issuer: "https://g.example" },
    ca: undefined,
    clock: { now: () => DELIVERY.now },
    random: () => 0,
  });
  try {
    const { signal } = new AbortController();
    for (const attempts of [0, 1])
      await sender.send({
        config: configOf(receiver.url),
        delivery: deliveryOf(7, attempts),
        notice: noticeOf(7),
        signal,
      });
    const claims = receiver.received.map(({ headers }) =>
      jsonOf(String(headers["x-a2a-signature"]).split(".")[1]),
    ) as { jti: string; aud: string; body_sha256: string }[];
    assert.deepEqual(
      claims.map(({ jti }) => jti),
      ["t1.7.c1.1", "t1.7.c1.2"],
    );
    assert.equal(claims[0]?.aud, receiver.url);
    assert.equal(claims[0]?.body_sha256, sha256(receiver.received[0]?.text ?? ""));
  } finally {
    sender.close();
    await receiver.close();
  }
});
