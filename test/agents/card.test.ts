import assert from "node:assert/strict";
import { test } from "node:test";
import { publicAddressOf } from "../../src/agents/addresses.ts";
import { agentsOf } from "../../src/agents/registry.ts";
import { servedCardsOf } from "../../src/agents/served-cards.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { Agents, Handler } from "../../src/core/ports.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";

const SILENT: Handler = { async *handle() {} };
const LISTENER = { host: "127.0.0.1", port: 8080 };
const LOADED_AT = Date.UTC(2026, 0, 1, 12, 0, 0, 789);

const TWO_AGENTS = `
primary: full
agents:
  plain: { name: Plain, description: Says little, static: {} }
  full:
    name: Full
    description: Says all
    version: 2.1.0
    provider: { organization: Example, url: "https://example.com" }
    documentationUrl: https://example.com/docs
    iconUrl: https://example.com/icon.png
    defaultOutputModes: [text/plain, application/json]
    streaming: false
    skills:
      - { id: a, name: A, description: does a, tags: [x], examples: [e], inputModes: [text/plain], outputModes: [text/plain] }
    extensions:
      - { uri: "urn:one", required: true, params: { k: [1, null] } }
      - { uri: "urn:two", description: optional }
    extendedCard:
      description: Says all and more
      skills:
        - { id: a, name: A+, description: does a better }
        - { id: b, name: B, description: does b }
    static: {}
`;

function agentsFrom(text: string, publicUrl?: string): Agents {
  const config = parseConfig(text, "config.yaml", {});
  return agentsOf({
    agents: Object.entries(config.agents).map(([id, settings]) => ({
      id,
      settings,
      handler: SILENT,
    })),
    primary: config.primary,
    address: () => publicAddressOf(publicUrl, LISTENER),
  });
}

function cardsFrom(text: string, publicUrl?: string) {
  return servedCardsOf({
    agents: agentsFrom(text, publicUrl),
    address: () => publicAddressOf(publicUrl, LISTENER),
    loadedAt: LOADED_AT,
    maxAgeMs: 300_000,
  });
}

function bodyOf(card: { readonly body: string } | undefined): AgentCard {
  return JSON.parse(card?.body ?? assert.fail("no card")) as AgentCard;
}

test("a card lists the three doors of its agent, JSON-RPC first", () => {
  assert.deepEqual(bodyOf(cardsFrom(TWO_AGENTS).card("plain")).supportedInterfaces, [
    { url: "http://127.0.0.1:8080/a2a/plain", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    {
      url: "http://127.0.0.1:8080/a2a/plain",
      protocolBinding: "HTTP+JSON",
      protocolVersion: "1.0",
    },
    { url: "127.0.0.1:8080", protocolBinding: "GRPC", tenant: "plain", protocolVersion: "1.0" },
  ]);
});

test("without an id the primary agent's card is served, with the agent's own addresses", () => {
  const cards = cardsFrom(TWO_AGENTS);
  assert.equal(cards.card(undefined)?.body, cards.card("full")?.body);
  assert.equal(cards.card("none"), undefined);
});

const ADDRESSES: readonly (readonly [
  publicUrl: string | undefined,
  host: string,
  baseUrl: string,
  grpcTarget: string,
])[] = [
  [undefined, "127.0.0.1", "http://127.0.0.1:8080", "127.0.0.1:8080"],
  [undefined, "::1", "http://[::1]:8080", "[::1]:8080"],
  [undefined, "0.0.0.0", "http://127.0.0.1:8080", "127.0.0.1:8080"],
  [undefined, "::", "http://[::1]:8080", "[::1]:8080"],
  ["https://agents.example.com", "0.0.0.0", "https://agents.example.com", "agents.example.com:443"],
  ["http://h/gateway", "0.0.0.0", "http://h/gateway", "h:80"],
  ["https://h:8443/x", "0.0.0.0", "https://h:8443/x", "h:8443"],
  ["http://[::1]:81", "0.0.0.0", "http://[::1]:81", "[::1]:81"],
];

for (const [publicUrl, host, baseUrl, grpcTarget] of ADDRESSES)
  test(`the address of ${publicUrl ?? host} is ${baseUrl} and ${grpcTarget}`, () => {
    assert.deepEqual(publicAddressOf(publicUrl, { host, port: 8080 }), { baseUrl, grpcTarget });
  });

test("every url of a card takes each path of its binding without a double slash", () => {
  for (const publicUrl of [undefined, "https://h/base/"]) {
    const card = bodyOf(cardsFrom(TWO_AGENTS, publicUrl).card("plain"));
    for (const { url, protocolBinding } of card.supportedInterfaces) {
      if (protocolBinding === "GRPC") assert.match(url, /^[^/]+:\d+$/);
      else
        assert.match(
          new URL(`${url}/message:send`).pathname,
          /^(\/base)?\/a2a\/plain\/message:send$/,
        );
    }
  }
});

const KEYS = {
  card: "supportedInterfaces name description version capabilities skills defaultInputModes defaultOutputModes provider documentationUrl iconUrl securitySchemes securityRequirements signatures",
  interface: "url protocolBinding protocolVersion tenant",
  capabilities: "streaming pushNotifications extendedAgentCard extensions",
  skill: "id name description tags examples inputModes outputModes securityRequirements",
};

function assertKeys(value: object, allowed: string): void {
  assert.deepEqual(
    Object.keys(value).filter((key) => !allowed.split(" ").includes(key)),
    [],
  );
}

test("a card has the members of the 1.0 schema and no others", () => {
  for (const id of ["plain", "full"]) {
    const card = bodyOf(cardsFrom(TWO_AGENTS).card(id));
    assertKeys(card, KEYS.card);
    assertKeys(card.capabilities, KEYS.capabilities);
    for (const door of card.supportedInterfaces) assertKeys(door, KEYS.interface);
    for (const skill of card.skills) assertKeys(skill, KEYS.skill);
    for (const key of KEYS.card.split(" ").slice(0, 8)) assert.ok(key in card, key);
  }
});

test("a card says what its agent's configuration says", () => {
  const { supportedInterfaces: _, ...card } = bodyOf(cardsFrom(TWO_AGENTS).card("full"));
  assert.deepEqual(card, {
    name: "Full",
    description: "Says all",
    version: "2.1.0",
    provider: { organization: "Example", url: "https://example.com" },
    documentationUrl: "https://example.com/docs",
    iconUrl: "https://example.com/icon.png",
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extensions: [
        { uri: "urn:one", required: true, params: { k: [1, null] } },
        { uri: "urn:two", description: "optional" },
      ],
      extendedAgentCard: true,
    },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      {
        id: "a",
        name: "A",
        description: "does a",
        tags: ["x"],
        examples: ["e"],
        inputModes: ["text/plain"],
        outputModes: ["text/plain"],
      },
    ],
  });
});

test("an agent without skills has one: itself", () => {
  assert.deepEqual(bodyOf(cardsFrom(TWO_AGENTS).card("plain")).skills, [
    { id: "plain", name: "Plain", description: "Says little", tags: ["plain"] },
  ]);
});

test("the extended card replaces and adds, at the same addresses", () => {
  const full = agentsFrom(TWO_AGENTS).find("full") ?? assert.fail();
  const extended = full.extendedCard?.() ?? assert.fail();
  const served = bodyOf(cardsFrom(TWO_AGENTS).card("full"));
  assert.equal(extended.description, "Says all and more");
  assert.equal(extended.name, "Full");
  assert.deepEqual(extended.supportedInterfaces, served.supportedInterfaces);
  assert.deepEqual(
    extended.skills.map(({ id, name }) => `${id} ${name}`),
    ["a A+", "b B"],
  );
  assertKeys(extended, KEYS.card);
  assert.equal(agentsFrom(TWO_AGENTS).find("plain")?.extendedCard, undefined);
});

test("an entity tag is strong, the same for the same text and another for another", () => {
  const cards = cardsFrom(TWO_AGENTS);
  const tag = cards.card("full")?.etag ?? assert.fail();
  assert.match(tag, /^"[\w-]{27}"$/);
  assert.equal(cards.card("full")?.etag, tag);
  assert.equal(cardsFrom(TWO_AGENTS).card("full")?.etag, tag);
  assert.notEqual(cards.card("plain")?.etag, tag);
  assert.notEqual(cardsFrom(TWO_AGENTS.replace("Says all", "Says it")).card("full")?.etag, tag);
  assert.notEqual(cardsFrom(TWO_AGENTS, "https://h").card("full")?.etag, tag);
});

test("a card was modified when the configuration was read, in whole seconds", () => {
  const card = cardsFrom(TWO_AGENTS).card("full") ?? assert.fail();
  assert.equal(card.lastModified.toISOString(), "2026-01-01T12:00:00.000Z");
  assert.equal(card.maxAge, 300);
});
