/** Agents and their cards from a configuration, at addresses that a test knows. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { locationsOf, type LocationOf, type Situation } from "../../src/agents/interfaces.ts";
import { Registry } from "../../src/agents/registry.ts";
import {
  servedCardsOf,
  type CardRequest,
  type ServedCards,
  type ServedJson,
} from "../../src/agents/served-cards.ts";
import { ServedAgent } from "../../src/agents/served-agent.ts";
import { algorithmOf } from "../../src/agents/signing/algorithms.ts";
import type { SigningKey } from "../../src/agents/signing/signing-key.ts";
import { openApisOf } from "../../src/agents/open-api.ts";
import { dialectsOf } from "../../src/wire/index.ts";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { Agents } from "../../src/core/ports/agent.ts";
import type { Handler } from "../../src/core/ports/handler.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";

const SHARED = { host: "127.0.0.1", port: 8080 };
export const LOADED_AT = Date.UTC(2026, 0, 1, 12, 0, 0, 789);

const SILENT: Handler = { async *handle() {} };

export interface Setup {
  readonly text: string;
  readonly keys?: readonly SigningKey[];
}

/** Every agent with a port listens there on the loopback. */
export function cardsFrom({ text, keys = [] }: Setup): (owner?: string) => ServedCards {
  const config = configOf(text);
  const { maxAge: maxAgeMs, unversioned } = config.cards;
  const agents = agentsIn(config, keys);
  const locationOf = locationsIn(config);
  const at = servedCardsOf({
    agents,
    locationOf,
    openApiOf: openApisOf(dialectsOf(config)),
    keys,
    published: keys,
    unversioned,
    now: () => 0,
    loadedAt: LOADED_AT,
    maxAgeMs,
  });
  return (owner) => at(owner);
}

export function cardAt(text: string, request: Partial<CardRequest>): ServedJson {
  return asked(cardsFrom({ text })(), request);
}

export function asked(cards: ServedCards, request: Partial<CardRequest>): ServedJson {
  const whole = { agent: undefined, version: undefined, origin: undefined, ...request };
  return cards.card(whole) ?? assert.fail("no card");
}

export function agentsFrom(text: string, keys: readonly SigningKey[] = []): Agents {
  return agentsIn(configOf(text), keys);
}

export function bodyOf({ body }: ServedJson): AgentCard {
  return JSON.parse(body) as AgentCard;
}

/** A key that was made just now. */
export function someKey(kid: string, jku?: string): SigningKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = algorithmOf(privateKey) ?? assert.fail();
  return { kid, algorithm, privateKey, ...(jku !== undefined && { jku }) };
}

function configOf(text: string): Config {
  return parseConfig(text, "config.yaml", {});
}

function locationsIn(config: Config): LocationOf {
  const own = Object.entries(config.agents).flatMap(([id, { port }]) =>
    port === undefined ? [] : [[id, { host: "127.0.0.1", port }] as const],
  );
  const situation: Situation = {
    listening: { shared: SHARED, own: new Map(own) },
    primary: config.primary,
    agents: new Map(Object.entries(config.agents).map(([id, settings]) => [id, { settings }])),
  };
  return locationsOf(config, () => situation);
}

function agentsIn(config: Config, keys: readonly SigningKey[]): Agents {
  const parts = { locationOf: locationsIn(config), keys, security: {} };
  const registry = new Registry();
  const agents = Object.entries(config.agents).map(
    ([id, settings]) => [id, new ServedAgent(id, settings, SILENT, parts)] as const,
  );
  registry.roster = { agents: new Map(agents), primary: config.primary };
  return registry;
}
