import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { publicKeysOf, type PublicKey } from "../../../src/agents/signing/public-keys.ts";
import { signaturesOf } from "../../../src/agents/signing/signer.ts";
import { jwkOf, type SigningKey } from "../../../src/agents/signing/signing-key.ts";
import { checkedSignatures, keySetUrlsOf } from "../../../src/agents/signing/verify.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import { someKey } from "../support.ts";
import others from "./signed-by-others.json" with { type: "json" };

const CARD: JsonObject = {
  name: "N",
  description: "",
  supportedInterfaces: [{ url: "u", protocolBinding: "GRPC", protocolVersion: "1.0" }],
  version: "1",
  capabilities: { streaming: false },
  defaultInputModes: ["a"],
  defaultOutputModes: ["b"],
  skills: [],
};

const KEY = someKey("k1");

function signed(card: JsonObject, keys: readonly SigningKey[], keySetUrl?: string): JsonObject {
  return JSON.parse(JSON.stringify({ ...card, signatures: signaturesOf(card, keys, keySetUrl) }));
}

function publicOf(...keys: readonly SigningKey[]): readonly PublicKey[] {
  return publicKeysOf(JSON.stringify({ keys: keys.map(jwkOf) }));
}

function headersOf(card: JsonObject): readonly Record<string, unknown>[] {
  const signatures = card["signatures"] as readonly { readonly protected: string }[];
  return signatures.map((each) => JSON.parse(String(Buffer.from(each.protected, "base64url"))));
}

function verdicts(card: JsonObject, keys: readonly PublicKey[]): readonly string[] {
  return checkedSignatures(card, keys).map(({ verdict }) =>
    verdict.kind === "valid" ? verdict.form : verdict.why,
  );
}

const PAIRS: readonly (readonly [algorithm: SigningKey["algorithm"], privateKey: KeyObject])[] = [
  ["ES256", generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey],
  ["RS256", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
  ["EdDSA", generateKeyPairSync("ed25519").privateKey],
];

for (const [algorithm, privateKey] of PAIRS)
  test(`a card signed with ${algorithm} is verified with the key set and with the PEM`, () => {
    const key = { kid: "k", algorithm, privateKey };
    const card = signed(CARD, [key]);
    assert.deepEqual(headersOf(card)[0], { alg: algorithm, typ: "JOSE", kid: "k" });
    const expected = ["1.0", "1.0, without empty members"];
    assert.deepEqual(verdicts(card, publicOf(key)), expected);
    const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" });
    assert.deepEqual(verdicts(card, publicKeysOf(String(pem))), expected);
  });

test("a card without empty members has one signature for every verifier of 1.0", () => {
  const full = { ...CARD, description: "d", skills: [{ id: "i", name: "n", tags: ["t"] }] };
  assert.equal(headersOf(signed({ ...full, skills: [] }, [KEY])).length, 2);
  const skill = { id: "i", name: "n", description: "s", tags: ["t"] };
  assert.equal(headersOf(signed({ ...full, skills: [skill] }, [KEY])).length, 1);
});

test("a card that both versions read has a signature for each", () => {
  const card = signed({ ...CARD, url: "u" }, [KEY]);
  assert.deepEqual(verdicts(card, publicOf(KEY)), ["1.0", "1.0, without empty members", "0.3"]);
});

test("each key signs; one known key is enough", () => {
  const [older, newer] = [someKey("older"), someKey("newer")];
  const card = signed({ ...CARD, url: "u" }, [older, newer]);
  assert.deepEqual(verdicts(card, publicOf(newer)).slice(0, 4), [
    'there is no key "older"',
    'there is no key "older"',
    'there is no key "older"',
    "1.0",
  ]);
});

test("a signature says where its key is: at the key's own address, else at the gateway's", () => {
  const keys = [KEY, someKey("k2", "https://keys.example/set")];
  const card = signed(CARD, keys, "https://h/.well-known/jwks.json");
  assert.deepEqual(keySetUrlsOf(card), [
    "https://h/.well-known/jwks.json",
    "https://keys.example/set",
  ]);
});

for (const [title, changed] of Object.entries({
  "a changed member": { name: "M" },
  "a false where none was": { capabilities: { streaming: false, pushNotifications: false } },
  "a member less": { capabilities: {} },
  "another address": {
    supportedInterfaces: [{ url: "evil", protocolBinding: "GRPC", protocolVersion: "1.0" }],
  },
}))
  test(`${title} makes a signature invalid`, () => {
    const card: JsonObject = { ...signed(CARD, [KEY]), ...changed };
    for (const why of verdicts(card, publicOf(KEY)))
      assert.match(why, /not the one that was signed/);
  });

test("members that stand for their default may come and go", () => {
  const card: JsonObject = { ...signed(CARD, [KEY]), securityRequirements: [], unknown: 1 };
  assert.equal(verdicts(card, publicOf(KEY))[0], "1.0");
});

test("a key of the same name that is another one verifies nothing", () => {
  const [why = ""] = verdicts(signed(CARD, [KEY]), publicOf(someKey("k1")));
  assert.match(why, /the key is another one/);
});

function forged(header: object): JsonObject {
  const encoded = Buffer.from(JSON.stringify(header)).toString("base64url");
  return { ...CARD, signatures: [{ protected: encoded, signature: "" }] };
}

for (const [title, header] of Object.entries({
  "without an algorithm": { alg: "none", kid: "k1" },
  "with a secret instead of a key": { alg: "HS256", kid: "k1" },
  "of another algorithm": { alg: "RS256", kid: "k1" },
}))
  test(`a signature ${title} is refused, whatever its header says`, () => {
    assert.match(verdicts(forged(header), publicOf(KEY))[0] ?? "", /the key is not one for/);
  });

test("a header that demands what nobody here knows is no signature", () => {
  const card = forged({ alg: "ES256", kid: "k1", crit: ["exp"], exp: 1 });
  assert.deepEqual(verdicts(card, publicOf(KEY)), ["it is no signature"]);
});

test("what is no signature is told as such", () => {
  for (const signature of [null, 7, {}, { protected: "%%%", signature: "x" }, { protected: 1 }])
    assert.deepEqual(verdicts({ ...CARD, signatures: [signature] }, publicOf(KEY)), [
      "it is no signature",
    ]);
  for (const signatures of [undefined, null, "x", []])
    assert.deepEqual(
      verdicts({ ...CARD, ...(signatures !== undefined && { signatures }) }, []),
      [],
    );
});

test("keys that cards are not signed with are passed over in a set, and refused alone", () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const jwk = publicKey.export({ format: "jwk" });
  const set = { keys: [jwk, { kty: "oct", k: "AA" }, null, jwkOf(KEY)] };
  assert.equal(publicKeysOf(JSON.stringify(set)).length, 1);
  assert.throws(() => publicKeysOf(JSON.stringify(jwk)), /expected an EC key on P-256/);
  assert.throws(() => publicKeysOf("nothing"), /expected a public key in PEM/);
});

for (const [title, card] of Object.entries(others.cards))
  test(`a signature by ${title} is verified`, () => {
    const [found] = checkedSignatures(card as unknown as JsonObject, publicKeysOf(others.key));
    assert.equal(found?.verdict.kind, "valid");
  });
