/** What is signed, character by character. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TEXTS, type TextForm } from "../../../src/agents/signing/texts.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";

const WHOLE: JsonObject = {
  name: "N",
  description: "d",
  supportedInterfaces: [{ url: "u", protocolBinding: "GRPC", protocolVersion: "1.0", tenant: "" }],
  version: "1",
  capabilities: {},
  defaultInputModes: ["a"],
  defaultOutputModes: ["b"],
  skills: [{ id: "i", name: "n", description: "s", tags: ["t"] }],
};

/** The member of that text, parsed again; order and notation are looked at elsewhere. */
function memberOf(form: TextForm, card: JsonObject, name: string): unknown {
  return (JSON.parse(TEXTS[form]({ ...WHOLE, ...card }).text) as JsonObject)[name];
}

test("the members are in order of their names, without white space or signatures", () => {
  assert.equal(
    TEXTS["1.0"]({ ...WHOLE, signatures: [{ protected: "p", signature: "s" }] }).text,
    '{"capabilities":{},"defaultInputModes":["a"],"defaultOutputModes":["b"],"description":"d",' +
      '"name":"N","skills":[{"description":"s","id":"i","name":"n","tags":["t"]}],' +
      '"supportedInterfaces":[{"protocolBinding":"GRPC","protocolVersion":"1.0","url":"u"}],"version":"1"}',
  );
});

const CASES: readonly (readonly [
  title: string,
  card: JsonObject,
  member: string,
  expected: unknown,
  compact: unknown,
])[] = [
  [
    "an optional member that was set stays, even when false",
    { capabilities: { streaming: false, pushNotifications: true } },
    "capabilities",
    { streaming: false, pushNotifications: true },
    { streaming: false, pushNotifications: true },
  ],
  ["a required text stays, even when empty", { description: "" }, "description", "", undefined],
  ["a required list stays, even when empty", { skills: [] }, "skills", [], undefined],
  [
    "an empty list that is not required goes",
    { capabilities: { extensions: [] } },
    "capabilities",
    {},
    undefined,
  ],
  [
    "a false that is not optional goes",
    { capabilities: { extensions: [{ uri: "x", required: false, description: "" }] } },
    "capabilities",
    { extensions: [{ uri: "x" }] },
    { extensions: [{ uri: "x" }] },
  ],
  ["an optional text that was set stays", { iconUrl: "" }, "iconUrl", "", undefined],
  ["null is not set", { iconUrl: null }, "iconUrl", undefined, undefined],
  [
    "parameters of extensions are data, and kept as they are",
    { capabilities: { extensions: [{ uri: "x", params: { a: "", b: [], c: null, d: false } }] } },
    "capabilities",
    { extensions: [{ uri: "x", params: { a: "", b: [], c: null, d: false } }] },
    { extensions: [{ uri: "x", params: { d: false } }] },
  ],
  [
    "members of other versions are not signed",
    { url: "u", protocolVersion: "0.3.0" },
    "url",
    undefined,
    undefined,
  ],
];

for (const [title, card, member, expected, compact] of CASES)
  test(`${title}`, () => {
    assert.deepEqual(memberOf("1.0", card, member), expected);
    assert.deepEqual(memberOf("1.0, without empty members", card, member), compact);
  });

test("numbers and texts are written as ECMAScript does (RFC 8785)", () => {
  const params = {
    "\u20ac": 1e21,
    "\u{10000}": 0.00001,
    "\ufb33": 1.0,
    é: "ü\u007f\n",
  };
  const card = { ...WHOLE, capabilities: { extensions: [{ uri: "x", params }] } };
  const { text } = TEXTS["1.0"](card);
  assert.match(
    text,
    /"params":\{"é":"ü\u007f\\n","€":1e\+21,"\u{10000}":0\.00001,"\ufb33":1\},"uri"/u,
  );
});

const OLDER: JsonObject = {
  name: "Zoë",
  url: "u",
  preferredTransport: "JSONRPC",
  protocolVersion: "0.3.0",
  capabilities: { streaming: false, extendedAgentCard: true },
  skills: [],
  supportedInterfaces: [],
};

test("the text of 0.3 has its members alone, without defaults, in ASCII", () => {
  assert.equal(
    TEXTS["0.3"](OLDER).text,
    '{"capabilities":{"streaming":false},"name":"Zo\\u00eb","url":"u"}',
  );
  assert.equal(
    TEXTS["0.3"]({ url: "u", preferredTransport: "GRPC", protocolVersion: "0.3.1" }).text,
    '{"preferredTransport":"GRPC","protocolVersion":"0.3.1","url":"u"}',
  );
});

test("the text of 0.3 has security schemes without their type, and without those of 1.0", () => {
  const scheme = { type: "apiKey", in: "header", name: "X", apiKeySecurityScheme: { name: "X" } };
  assert.equal(
    TEXTS["0.3"]({ url: "u", securitySchemes: { key: scheme }, security: [{ key: [] }] }).text,
    '{"securitySchemes":{"key":{"in":"header","name":"X"}},"url":"u"}',
  );
});

test("the text of 0.3 has small numbers as Python writes them", () => {
  const extensions = [{ uri: "x", params: { a: 0.00001, b: 1.5e-7, c: 0.0001, d: 1e21, e: 0 } }];
  assert.match(
    TEXTS["0.3"]({ url: "u", capabilities: { extensions } }).text,
    /"params":\{"a":1e-05,"b":1\.5e-07,"c":0\.0001,"d":1e\+21,"e":0\}/,
  );
});

const SECURED = { securityRequirements: [{ schemes: { key: { list: [] } } }] };

for (const [title, card, omits] of [
  ["a requirement without scopes", SECURED, ["securityRequirements"]],
  [
    "a requirement of a skill without scopes",
    { skills: [{ id: "i", name: "n", description: "s", tags: ["t"], ...SECURED }] },
    ["skills[].securityRequirements"],
  ],
  [
    "a scheme without settings",
    { securitySchemes: { mtls: { mtlsSecurityScheme: {} } } },
    ["securitySchemes"],
  ],
  ["an interface without an address", { supportedInterfaces: [{}] }, ["supportedInterfaces"]],
  ["nothing that matters", { description: "", skills: [], supportedInterfaces: [] }, []],
  ["nothing", {}, []],
] as const)
  test(`the text without empty members tells that it lacks ${title}`, () => {
    const of = { ...WHOLE, ...card } as unknown as JsonObject;
    assert.deepEqual(TEXTS["1.0, without empty members"](of).omits, omits);
    assert.deepEqual(TEXTS["1.0"](of).omits, []);
  });

for (const [card, error] of [
  [{ url: 7 }, /^Error: url: expected text$/],
  [{ url: "u", skills: {} }, /^Error: skills: expected a list$/],
  [
    { url: "u", skills: [{ tags: ["t", 1] }] },
    /^Error: skills\[0\]\.tags: expected a list of texts$/,
  ],
  [{ url: "u", provider: "P" }, /^Error: provider: expected a mapping$/],
  [
    { url: "u", capabilities: { streaming: "yes" } },
    /capabilities\.streaming: expected true or false$/,
  ],
  [{ url: "u", security: [{ key: "all" }] }, /security: expected a list of security requirements$/],
] as const)
  test(`a card of 0.3 as ${JSON.stringify(card)} has no text`, () => {
    assert.throws(() => TEXTS["0.3"](card), error);
  });
