/** The rows that tell of the agents that are served. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { AgentStore } from "../../src/core/ports/agent-store.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import { createAgentStore } from "../../src/store/knex/agents/agent-store.ts";
import { openDatabase, type Database } from "../../src/store/knex/database.ts";
import { card, served } from "./agent-cards.ts";

const CHILDREN = [
  "agent_capabilities",
  "agent_skills",
  "agent_extensions",
  "agent_interfaces",
  "agent_security_schemes",
  "agent_security_requirements",
  "agent_card_signatures",
];

const FULL: AgentCard = {
  name: "full",
  description: "has everything",
  supportedInterfaces: [
    { url: "https://a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0", tenant: "t" },
    { url: "https://a/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://a/own", protocolBinding: "https://example.com/b", protocolVersion: "1.0" },
  ],
  provider: { url: "https://p", organization: "p" },
  version: "1.2.3",
  documentationUrl: "https://docs",
  iconUrl: "https://icon",
  capabilities: {
    streaming: true,
    extendedAgentCard: true,
    extensions: [{ uri: "https://x", description: "x", required: true, params: { p: [1] } }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { name: "k", location: "header" } },
    http: { httpAuthSecurityScheme: { scheme: "bearer" } },
    oauth: { oauth2SecurityScheme: { flows: {} } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
    tls: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [{ schemes: { key: {}, oauth: { list: ["read"] } } }, { schemes: {} }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain", "image/png"],
  skills: [
    {
      id: "one",
      name: "One",
      description: "first",
      tags: ["a", "b"],
      examples: ["do it"],
      inputModes: ["text/plain"],
      outputModes: [],
      securityRequirements: [{ schemes: { http: { list: [] } } }],
    },
    { id: "two", name: "Two", description: "second", tags: [] },
  ],
  signatures: [{ protected: "p", signature: "s", header: { kid: "k" } }],
};

let clock = 0;
let database: Database;
let store: AgentStore;
beforeEach(async () => {
  clock = 1000;
  database = await openDatabase(":memory:");
  store = createAgentStore(database, { now: () => clock });
});
afterEach(() => database.close());

const rowsOf = (table: string) => database.knex(table);
const cardOf = async (id: string) => (await rowsOf("agent_cards").where("agent_id", id))[0];

/** The rows of a table without the uuid of their card. */
async function childrenIn(table: string): Promise<readonly object[]> {
  const rows: readonly Record<string, unknown>[] = await rowsOf(table);
  return rows.map(({ agent_uuid: _, ...row }) => row);
}

test("writes a card into its tables", async () => {
  await store.record([served("full", { card: FULL, port: 9001, isPrimary: true })]);
  const { uuid, digest, ...row } = await cardOf("full");
  assert.match(uuid, /^[0-9a-f-]{36}$/);
  assert.match(digest, /^[\w+/]{43}=$/);
  assert.deepEqual(row, {
    agent_id: "full",
    protocol_version: "0.3",
    name: "full",
    description: "has everything",
    url: "https://a/rpc",
    version: "1.2.3",
    default_input_modes: '["text/plain"]',
    default_output_modes: '["text/plain","image/png"]',
    preferred_transport: "JSONRPC",
    icon_url: "https://icon",
    documentation_url: "https://docs",
    provider: '{"url":"https://p","organization":"p"}',
    supports_extended_card: 1,
    created_at: 1000,
    updated_at: 1000,
  });
  assert.deepEqual(await childrenIn("agent_metadata"), [
    {
      port: 9001,
      is_enabled: 1,
      is_primary: 1,
      system_prompt: null,
      mcp_servers: null,
      created_at: 1000,
      updated_at: 1000,
    },
  ]);
  assert.deepEqual(await childrenIn("agent_capabilities"), [
    { streaming: 1, push_notifications: 0, state_transition_history: 0 },
  ]);
  assert.deepEqual(await childrenIn("agent_skills"), [
    {
      id: "one",
      position: 0,
      name: "One",
      description: "first",
      tags: '["a","b"]',
      examples: '["do it"]',
      input_modes: '["text/plain"]',
      output_modes: "[]",
      security_requirements: '[{"http":[]}]',
    },
    {
      id: "two",
      position: 1,
      name: "Two",
      description: "second",
      tags: "[]",
      examples: null,
      input_modes: null,
      output_modes: null,
      security_requirements: null,
    },
  ]);
  assert.deepEqual(await childrenIn("agent_extensions"), [
    { uri: "https://x", position: 0, description: "x", required: 1, params: '{"p":[1]}' },
  ]);
  assert.deepEqual(
    (await rowsOf("agent_interfaces")).map(({ position, url, protocol_binding, tenant }) => [
      position,
      url,
      protocol_binding,
      tenant,
    ]),
    [
      [0, "https://a/rest", "HTTP+JSON", "t"],
      [1, "https://a/rpc", "JSONRPC", null],
      [2, "https://a/own", "https://example.com/b", null],
    ],
  );
  assert.deepEqual(
    (await rowsOf("agent_security_schemes")).map(({ name, type }) => [name, type]),
    [
      ["key", "apiKey"],
      ["http", "http"],
      ["oauth", "oauth2"],
      ["oidc", "openIdConnect"],
      ["tls", "mutualTLS"],
    ],
  );
  assert.deepEqual(await childrenIn("agent_security_requirements"), [
    { position: 0, schemes: '{"key":[],"oauth":["read"]}' },
    { position: 1, schemes: "{}" },
  ]);
  assert.deepEqual(await childrenIn("agent_card_signatures"), [
    { position: 0, protected: "p", signature: "s", header: '{"kid":"k"}' },
  ]);
});

test("writes only the cards again that have changed, under their uuids", async () => {
  const agents = Array.from({ length: 1000 }, (_, index) => served(`agent-${index}`));
  await store.record(agents);
  const before = await cardOf("agent-7");
  clock = 2000;
  await store.record(agents.toReversed());
  assert.deepEqual(await rowsOf("agent_cards").where("updated_at", ">", 1000), []);
  agents[7] = served("agent-7", { card: card({ name: "other", skills: [] }) });
  agents[8] = served("agent-8", { port: 9008 });
  await store.record(agents);
  const changed = rowsOf("agent_cards").where("updated_at", 2000).orderBy("agent_id");
  assert.deepEqual(await changed.pluck("agent_id"), ["agent-7", "agent-8"]);
  const after = await cardOf("agent-7");
  assert.deepEqual([after.uuid, after.name, after.created_at], [before.uuid, "other", 1000]);
  assert.deepEqual(await rowsOf("agent_skills").where("agent_uuid", before.uuid), []);
  assert.equal((await rowsOf("agent_skills")).length, 999);
});

test("leaves the rows of a card alone that nothing was changed of", async () => {
  await store.record([served("ann"), served("zoe")]);
  await rowsOf("agent_skills").update("name", "touched");
  await store.record([served("ann"), served("zoe", { port: 9001 })]);
  const zoe = await cardOf("zoe");
  const names = await rowsOf("agent_skills").orderByRaw("agent_uuid = ?", [zoe.uuid]).pluck("name");
  assert.deepEqual(names, ["touched", "n"]);
});

test("drops what was written of agents that are not served any more", async () => {
  await store.record([served("ann", { card: FULL, port: 9001, isPrimary: true }), served("zoe")]);
  await store.record([served("zoe", { port: 9001, isPrimary: true })]);
  assert.deepEqual(await rowsOf("agent_cards").pluck("agent_id"), ["zoe"]);
  await store.record([]);
  for (const table of ["agent_cards", "agent_metadata", ...CHILDREN])
    assert.deepEqual(await rowsOf(table), [], table);
});

test("shows with a card whether its agent is switched off, and since before it had one", async () => {
  await store.setEnabled("ann", false);
  await store.record([served("ann"), served("zoe")]);
  const shown = () =>
    rowsOf("agent_metadata")
      .join("agent_cards", "uuid", "agent_uuid")
      .orderBy("agent_id")
      .pluck("is_enabled");
  assert.deepEqual(await shown(), [0, 1]);
  await store.setEnabled("ann", true);
  await store.setEnabled("zoe", false);
  assert.deepEqual(await shown(), [1, 0]);
  await store.record([served("ann", { port: 9001 }), served("zoe", { port: 9002 })]);
  assert.deepEqual(await shown(), [1, 0]);
});

test("takes the first of several skills or extensions of one name", async () => {
  const skill = { id: "s", name: "first", description: "d", tags: [] };
  const extensions = [{ description: "first" }, { description: "second" }];
  const skills = [skill, { ...skill, name: "second" }, { ...skill, id: "other", name: "third" }];
  await store.record([served("ann", { card: card({ capabilities: { extensions }, skills }) })]);
  assert.deepEqual(await rowsOf("agent_skills").pluck("name"), ["first", "third"]);
  assert.deepEqual(await rowsOf("agent_extensions").pluck("description"), ["first"]);
});

const own = {
  url: "https://own",
  protocolBinding: "https://example.com/b",
  protocolVersion: "2.0",
};
const rest = { url: "https://rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" };
const grpc = { url: "https://grpc", protocolBinding: "GRPC", protocolVersion: "0.3.0" };

const mains = [
  {
    title: "that speaks 0.3",
    interfaces: [own, rest, grpc],
    main: ["https://grpc", "GRPC", "0.3.0"],
  },
  {
    title: "with a known binding",
    interfaces: [own, rest],
    main: ["https://rest", "HTTP+JSON", "1.0"],
  },
  { title: "there is", interfaces: [own], main: ["https://own", "JSONRPC", "2.0"] },
  { title: "that may be missing", interfaces: [], main: ["", "JSONRPC", "1.0"] },
];

for (const { title, interfaces, main } of mains)
  test(`names as the main address of a card the first interface ${title}`, async () => {
    await store.record([served("ann", { card: card({ supportedInterfaces: interfaces }) })]);
    const { url, preferred_transport, protocol_version } = await cardOf("ann");
    assert.deepEqual([url, preferred_transport, protocol_version], main);
  });

test("writes all of what was recorded, or nothing", async () => {
  await store.record([served("ann")]);
  const two = [served("zoe", { port: 9001 }), served("mia", { port: 9001 })];
  await assert.rejects(store.record(two), { code: "SQLITE_CONSTRAINT" });
  assert.deepEqual(await rowsOf("agent_cards").pluck("agent_id"), ["ann"]);
});
