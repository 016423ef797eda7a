import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf } from "../../../src/handlers/upstream/discovery/card-forms.ts";
import type { AgentCard } from "../../../src/protocol/agent-card.ts";
import { hybridCardOf, legacyCardOf } from "../../../src/wire/v0_3/card.ts";

const card: AgentCard = {
  name: "Weather",
  description: "Knows the weather",
  version: "2.0.0",
  provider: { organization: "Acme", url: "https://acme.example" },
  capabilities: { streaming: true, extendedAgentCard: true },
  supportedInterfaces: [
    { url: "https://up/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://up/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://up:443", protocolBinding: "GRPC", protocolVersion: "1.0", tenant: "t" },
  ],
  securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "x-key" } } },
  securityRequirements: [{ schemes: { key: {} } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "now", name: "Now", description: "The weather now", tags: ["weather"] }],
};

test("reads a card of 1.0 as it is", () => {
  assert.deepEqual(cardOf(card), card);
});

test("reads what the gateway serves to clients of both versions as one card", () => {
  assert.deepEqual(cardOf(JSON.parse(JSON.stringify(hybridCardOf(card)))), card);
});

test("reads a card of 0.3 with its own interfaces", () => {
  const { supportedInterfaces, ...rest } = cardOf(JSON.parse(JSON.stringify(legacyCardOf(card))));
  const { supportedInterfaces: _, ...expected } = card;
  assert.deepEqual(rest, expected);
  assert.deepEqual(supportedInterfaces, [
    { url: "https://up/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  ]);
});

for (const [what, json, message] of [
  ["a list", [], "the agent's card is no JSON object"],
  ["an object that names no interface", { name: "A" }, "the agent's card names no interface"],
  [
    "a member of the wrong kind",
    { supportedInterfaces: [{ url: {} }] },
    /^the agent's card is invalid: supportedInterfaces\[0\]\.url: must be a string/,
  ],
] as const)
  test(`refuses ${what}`, () => {
    assert.throws(() => cardOf(json), { message });
  });
