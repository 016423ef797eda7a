import assert from "node:assert/strict";
import { test } from "node:test";
import { cataloguesOf, type CatalogueRequest } from "../../src/agents/catalogue.ts";
import type { CardForm } from "../../src/agents/forms.ts";
import type { Location } from "../../src/agents/interfaces.ts";
import { openApisOf } from "../../src/agents/open-api.ts";
import { servedCardsOf } from "../../src/agents/served-cards.ts";
import type { Agent, Agents } from "../../src/core/ports/agent.ts";
import type { AgentCard, AgentSkill } from "../../src/protocol/agent-card.ts";

const BASE = "https://agents.example";

interface Listed {
  readonly agents: readonly {
    readonly id: string;
    readonly isPrimary: boolean;
    readonly cardUrl: string;
    readonly card: { readonly name: string; readonly protocolVersion?: string };
  }[];
  readonly nextPageToken?: string;
}

test("lists every agent in the order of the ids, with its card and where that is", () => {
  const { ask } = catalogueOf([agent("b"), agent("c"), agent("a")], { primary: "c" });
  const { agents, nextPageToken } = ask({});
  assert.deepEqual(
    agents.map(({ card, ...head }) => [head, card.name]),
    ["a", "b", "c"].map((id) => [
      { id, isPrimary: id === "c", cardUrl: `${BASE}/a2a/${id}/.well-known/agent-card.json` },
      `Agent ${id}`,
    ]),
  );
  assert.equal(nextPageToken, undefined);
});

test("holds the very text of each card, in the form that the version asks for", () => {
  const { catalogue, cards } = catalogueOf([agent("a"), agent("b")]);
  for (const version of ["1.0", "0.3", undefined]) {
    const { body } = catalogue({ ...EVERYTHING, version });
    for (const id of ["a", "b"]) {
      const card = cards.card({ agent: id, version, origin: undefined })?.body;
      assert.ok(card !== undefined && body.includes(`"card":${card}}`), `${id} of ${version}`);
    }
  }
  const [pure, hybrid] = ["1.0", "0.3"].map((version) => listed(catalogue, { version }));
  assert.equal(pure?.agents[0]?.card.protocolVersion, undefined);
  assert.equal(hybrid?.agents[0]?.card.protocolVersion, "0.3.0");
});

test("names the origin that the caller may be told of", () => {
  const { ask } = catalogueOf([agent("a")]);
  const [only] = ask({ origin: "https://other.example" }).agents;
  assert.equal(only?.cardUrl, "https://other.example/a2a/a/.well-known/agent-card.json");
});

test("has only the agent that a listener is for", () => {
  const { at } = catalogueOf([agent("a"), agent("b")]);
  assert.deepEqual(ids(listed(at("b"), {})), ["b"]);
  assert.deepEqual(ids(listed(at("b"), { filter: { ...NO_FILTER, words: ["agent a"] } })), []);
});

const SKILLS = [
  skill({ id: "forecast", name: "Weather forecast", tags: ["weather", "Europe"] }),
  skill({ id: "warn", name: "Warnungen", description: "Warnt vor STÜRMEN", tags: ["alert"] }),
];
const SEARCHED = [
  agent("plain"),
  agent("sky", { description: "Knows the sky over Zürich", skills: SKILLS }),
  agent("sea", { skills: [skill({ id: "tides", name: "Forecast", tags: ["weather"] })] }),
];

for (const [title, filter, found] of [
  ["the id of a skill", { skill: "tides" }, ["sea"]],
  ["the name of a skill, in any letters", { skill: "WEATHER FORECAST" }, ["sky"]],
  ["an id of one and a name of another", { skill: "forecast" }, ["sea", "sky"]],
  ["nothing for a part of a skill's name", { skill: "weather" }, []],
  ["a tag, in any letters", { tags: ["WEATHER"] }, ["sea", "sky"]],
  ["tags of different skills, all of which it has", { tags: ["europe", "alert"] }, ["sky"]],
  ["nothing for a part of a tag", { tags: ["weath"] }, []],
  ["words of the description and of a skill", { words: ["zürich", "stürm"] }, ["sky"]],
  ["a word in a tag", { words: ["euro"] }, ["sky"]],
  ["a word that Unicode writes in another way", { words: ["zu\u0308rich"] }, ["sky"]],
  ["nothing where one word is missing", { words: ["zürich", "tides"] }, []],
  ["what all filters hold of", { skill: "forecast", tags: ["weather"], words: ["sky"] }, ["sky"]],
] as const)
  test(`finds ${title}`, () => {
    const { ask } = catalogueOf(SEARCHED);
    assert.deepEqual(ids(ask({ filter: { ...NO_FILTER, ...filter } })), found);
  });

test("goes by what a card says now", () => {
  let card = cardOf("a");
  const changing = { ...agent("a"), id: "a" };
  Object.defineProperty(changing, "card", { get: () => card });
  const { ask } = catalogueOf([changing]);
  const filter = { ...NO_FILTER, words: ["news"] };
  assert.deepEqual(ids(ask({ filter })), []);
  card = cardOf("a", { description: "Has news" });
  assert.deepEqual(ids(ask({ filter })), ["a"]);
});

test("pages through all agents once", () => {
  const { ask } = catalogueOf("gfedcba".split("").map((id) => agent(id)));
  const first = ask({ pageSize: 3 });
  const second = ask({ pageSize: 3, after: first.nextPageToken });
  const third = ask({ pageSize: 3, after: second.nextPageToken });
  assert.deepEqual([first, second, third].map(ids), [["a", "b", "c"], ["d", "e", "f"], ["g"]]);
  assert.equal(third.nextPageToken, undefined);
});

test("names no further page where the last one is just full, filters counted", () => {
  const { ask } = catalogueOf(SEARCHED);
  const filter = { ...NO_FILTER, tags: ["weather"] };
  assert.equal(ask({ filter, pageSize: 2 }).nextPageToken, undefined);
  const first = ask({ filter, pageSize: 1 });
  assert.deepEqual(ids(ask({ filter, pageSize: 1, after: first.nextPageToken })), ["sky"]);
});

test("goes on behind an agent that has gone since, and finds one that came", () => {
  const { ask, serve } = catalogueOf([agent("a"), agent("b"), agent("d")]);
  const { nextPageToken } = ask({ pageSize: 2 });
  assert.equal(nextPageToken, "b");
  serve([agent("a"), agent("c"), agent("d")]);
  assert.deepEqual(ids(ask({ pageSize: 2, after: nextPageToken })), ["c", "d"]);
});

test("has another tag for every other body, and the same for the same", () => {
  const { catalogue, serve } = catalogueOf([agent("a"), agent("b")]);
  const tag = (request: Partial<CatalogueRequest>): string =>
    catalogue({ ...EVERYTHING, ...request }).etag;
  const tags = [
    tag({}),
    tag({ version: "1.0" }),
    tag({ pageSize: 1 }),
    tag({ after: "a" }),
    tag({ origin: "https://other.example" }),
  ];
  assert.equal(new Set(tags).size, tags.length);
  assert.equal(tag({}), tags[0]);
  assert.equal(tag({ filter: { ...NO_FILTER, words: ["agent"] } }), tags[0]);
  serve([agent("a"), agent("b", { version: "2" })]);
  assert.notEqual(tag({}), tags[0]);
});

test("may be kept for as long as a card", () => {
  assert.equal(catalogueOf([]).catalogue(EVERYTHING).maxAge, 90);
});

const NO_FILTER = { skill: undefined, tags: [], words: [] };
const EVERYTHING: CatalogueRequest = {
  filter: NO_FILTER,
  pageSize: 50,
  after: undefined,
  version: undefined,
  origin: undefined,
};

type Catalogue = ReturnType<ReturnType<typeof cataloguesOf>>;

/** The catalogue over these agents; `serve` gives it others. */
function catalogueOf(served: readonly Agent[], { primary = "a" } = {}) {
  let all = served;
  const agents: Agents = {
    find: (id = primary) => all.find((each) => each.id === id),
    all: () => all,
  };
  const unversioned: CardForm = "hybrid";
  const maxAgeMs = 90_500;
  const cardsAt = servedCardsOf({
    agents,
    locationOf,
    openApiOf: openApisOf([]),
    keys: [],
    published: [],
    unversioned,
    loadedAt: 0,
    now: () => 0,
    maxAgeMs,
  });
  const at = cataloguesOf({ agents, locationOf, cardsAt, maxAgeMs });
  const catalogue = at(undefined);
  return {
    at,
    catalogue,
    cards: cardsAt(undefined),
    ask: (request: Partial<CatalogueRequest>) => listed(catalogue, request),
    serve(others: readonly Agent[]) {
      all = others;
    },
  };
}

const ERA = {};

function locationOf(
  id: string,
  { origin = BASE }: { readonly origin?: string | undefined } = {},
): Location & { readonly cardUrl: string } {
  const url = `${origin}/a2a/${id}`;
  return {
    interfaces: ["1.0", "0.3"].map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      protocolVersion,
    })),
    keySetUrl: `${origin}/.well-known/jwks.json`,
    cardUrl: `${url}/.well-known/agent-card.json`,
    era: ERA,
  };
}

function listed(catalogue: Catalogue, request: Partial<CatalogueRequest>): Listed {
  return JSON.parse(catalogue({ ...EVERYTHING, ...request }).body) as Listed;
}

function ids({ agents }: Listed): readonly string[] {
  return agents.map(({ id }) => id);
}

function agent(id: string, said: Partial<AgentCard> = {}): Agent {
  return {
    id,
    handler: { async *handle() {} },
    card: cardOf(id, said),
    extendedCard: undefined,
    onRestart: "fail",
    idempotencyWindowMs: 0,
    forwardHeaders: [],
    turnTimeoutMs: 0,
    pushInterest: undefined,
    sharing: "none",
    turns: undefined,
    calls: undefined,
    cancelGraceMs: 0,
  };
}

function cardOf(id: string, said: Partial<AgentCard> = {}): AgentCard {
  return {
    name: `Agent ${id}`,
    description: `The agent ${id}`,
    supportedInterfaces: [],
    version: "1",
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [skill({ id, name: id })],
    ...said,
  };
}

function skill(said: Partial<AgentSkill> & Pick<AgentSkill, "id" | "name">): AgentSkill {
  return { description: "", tags: [], ...said };
}
