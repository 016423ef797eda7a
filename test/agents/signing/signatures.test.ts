import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import {
  publicKeysOf,
  unusedKeysOf,
  type PublicKey,
} from "../../../src/agents/signing/public-keys.ts";
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

for (const [change, why] of [
  [{ use: "enc" }, 'its use is "enc"'],
  [{ key_ops: ["sign"] }, 'its key_ops lack "verify"'],
  [{ key_ops: "verify" }, 'its key_ops lack "verify"'],
  [{ alg: "RS256" }, 'its alg is "RS256", and it is one for ES256'],
  [{ crv: "P-384" }, "expected an EC key on P-256"],
] as const)
  test(`a key with ${JSON.stringify(change)} is not used, and it is told why`, () => {
    const jwk = { ...jwkOf(KEY), ...change };
    const set = JSON.stringify({ keys: [jwk, jwkOf(someKey("k2"))] });
    assert.deepEqual(
      publicKeysOf(set).map(({ kid }) => kid),
      ["k2"],
    );
    const [told = ""] = unusedKeysOf(set);
    assert.ok(told.startsWith(`key "k1" is not used: ${why}`), told);
    assert.throws(() => publicKeysOf(JSON.stringify(jwk)), { message: told });
  });

test("a key that says that it is for this is used", () => {
  const jwk = { ...jwkOf(KEY), key_ops: ["verify"] };
  assert.equal(publicKeysOf(JSON.stringify(jwk)).length, 1);
  assert.deepEqual(unusedKeysOf(JSON.stringify(jwk)), []);
});

test("a key whose name is no text is refused, the set with it", () => {
  const set = { keys: [jwkOf(KEY), { ...jwkOf(KEY), kid: 7 }] };
  assert.throws(() => publicKeysOf(JSON.stringify(set)), /a kid that is no text/);
});

test("a private key is not taken for a public one", () => {
  const expected = /^Error: a private key where a public one was expected$/;
  const jwk = KEY.privateKey.export({ format: "jwk" });
  assert.throws(() => publicKeysOf(JSON.stringify({ keys: [jwk] })), expected);
  for (const type of ["pkcs8", "sec1"] as const)
    assert.throws(
      () => publicKeysOf(String(KEY.privateKey.export({ type, format: "pem" }))),
      expected,
    );
});

const FULL: JsonObject = {
  ...CARD,
  description: "d",
  skills: [{ id: "i", name: "n", description: "s", tags: ["t"] }],
};
const SECURED: JsonObject = { securityRequirements: [{ schemes: { k: { list: [] } } }] };

for (const [title, card] of [
  ["with other empty members", CARD],
  ["without any", FULL],
] as const) {
  test(`a signature that says nothing of a requirement is not one over a card ${title}`, () => {
    assert.deepEqual(verdicts(signed({ ...card, ...SECURED }, [KEY]), publicOf(KEY)), [
      "1.0",
      "it says nothing of securityRequirements",
    ]);
  });

  test(`nor is it one over the card ${title} from which the requirement was taken`, () => {
    const { securityRequirements: _, ...open } = signed({ ...card, ...SECURED }, [KEY]);
    const [whole = "", compact] = verdicts(open, publicOf(KEY));
    assert.match(whole, /not the one that was signed/);
    assert.equal(compact, "it says nothing of securityRequirements");
  });

  test(`an interface without an address that is put into a card ${title} is not signed`, () => {
    const [door = null] = CARD["supportedInterfaces"] as readonly JsonObject[];
    const changed = { ...signed(card, [KEY]), supportedInterfaces: [{}, door] };
    for (const why of verdicts(changed, publicOf(KEY)))
      assert.match(why, /not the one that was signed|^it says nothing of supportedInterfaces$/);
  });
}

test("only a header that has something to tell tells what is left out", () => {
  assert.deepEqual(
    headersOf(signed({ ...FULL, ...SECURED }, [KEY])).map(({ a2aOmits }) => a2aOmits),
    [undefined, ["securityRequirements"]],
  );
});

for (const [title, change] of [
  ["padding", (text: string) => `${text}==`],
  ["a line break", (text: string) => `${text.slice(0, 9)}\n${text.slice(9)}`],
  ["the letters of base64", (text: string) => `+/${text.slice(2)}`],
  [
    "bits that stand for nothing",
    (text: string) => `${text.slice(0, -1)}${text.endsWith("x") ? "z" : "x"}`,
  ],
] as const)
  test(`what is written with ${title} is no signature`, () => {
    const card = signed(CARD, [KEY]);
    const [first] = card["signatures"] as readonly { protected: string; signature: string }[];
    assert.ok(first);
    for (const written of [
      { ...first, signature: change(first.signature) },
      ...(title.startsWith("bits") ? [] : [{ ...first, protected: change(first.protected) }]),
    ])
      assert.deepEqual(verdicts({ ...card, signatures: [written] }, publicOf(KEY)), [
        "it is no signature",
      ]);
  });

test("a header whose kid is no text is not understood", () => {
  assert.deepEqual(verdicts(forged({ alg: "ES256", kid: 7 }), publicOf(KEY)), [
    "it is no signature",
  ]);
});

test("a hundred signatures are looked at, and no more", () => {
  const card = signed(CARD, [KEY]);
  const [first = null] = card["signatures"] as readonly JsonObject[];
  const many = (count: number): JsonObject => ({ ...card, signatures: Array(count).fill(first) });
  assert.equal(verdicts(many(100), publicOf(KEY)).length, 100);
  for (const look of [keySetUrlsOf, (each: JsonObject) => checkedSignatures(each, [])])
    assert.throws(() => look(many(101)), /^Error: 101 signatures, at most 100 are looked at$/);
});

for (const [title, card] of Object.entries(others.cards))
  test(`a signature by ${title} is verified`, () => {
    const [found] = checkedSignatures(card as unknown as JsonObject, publicKeysOf(others.key));
    assert.equal(found?.verdict.kind, "valid");
  });
