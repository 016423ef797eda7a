import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import { agentsFrom, bodyOf, cardAt } from "./support.ts";

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

function cardOf(agent: string): AgentCard {
  return bodyOf(cardAt(TWO_AGENTS, { agent, version: "1.0" }));
}

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
    const card = cardOf(id);
    assertKeys(card, KEYS.card);
    assertKeys(card.capabilities, KEYS.capabilities);
    for (const door of card.supportedInterfaces) assertKeys(door, KEYS.interface);
    for (const skill of card.skills) assertKeys(skill, KEYS.skill);
    for (const key of KEYS.card.split(" ").slice(0, 8)) assert.ok(key in card, key);
  }
});

test("a card says what its agent's configuration says", () => {
  const { supportedInterfaces: _, ...card } = cardOf("full");
  assert.deepEqual(card, {
    name: "Full",
    description: "Says all",
    version: "2.1.0",
    provider: { organization: "Example", url: "https://example.com" },
    documentationUrl: "https://example.com/docs",
    iconUrl: "https://example.com/icon.png",
    capabilities: {
      streaming: false,
      pushNotifications: true,
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
  assert.deepEqual(cardOf("plain").skills, [
    { id: "plain", name: "Plain", description: "Says little", tags: ["plain"] },
  ]);
});

test("the extended card replaces and adds, at the same addresses", () => {
  const full = agentsFrom(TWO_AGENTS).find("full") ?? assert.fail();
  const extended = full.extendedCard?.() ?? assert.fail();
  const served = cardOf("full");
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
