import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCard } from "../../../src/protocol/agent-card.ts";
import { agentCardOf } from "../../../src/wire/v0_3/agent-card.ts";
import { hybridCardOf, legacyCardOf } from "../../../src/wire/v0_3/card.ts";
import { withRequirements } from "../../../src/wire/v0_3/security.ts";
import { messages } from "../../../src/wire/v1/messages.ts";

const flow = { authorizationUrl: "https://auth", tokenUrl: "https://token", scopes: { read: "" } };
const card: AgentCard = {
  name: "Echo",
  description: "says it again",
  supportedInterfaces: [
    { url: "https://host/a2a/echo", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://host/a2a/echo", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
    { url: "host:443", protocolBinding: "GRPC", tenant: "echo", protocolVersion: "0.3.0" },
  ],
  provider: { url: "https://host", organization: "Host" },
  version: "1",
  documentationUrl: "https://host/docs",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [{ uri: "urn:x", required: true, params: { a: null } }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key", description: "a key" } },
    bearer: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
    oauth: {
      oauth2SecurityScheme: {
        flows: { authorizationCode: { ...flow, pkceRequired: true } },
        oauth2MetadataUrl: "https://meta",
      },
    },
    device: {
      oauth2SecurityScheme: {
        flows: {
          deviceCode: {
            deviceAuthorizationUrl: "https://device",
            tokenUrl: "https://token",
            scopes: {},
          },
        },
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://oidc" } },
    mtls: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [{ schemes: { key: {}, oauth: { list: ["read"] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "s",
      name: "skill",
      description: "does",
      tags: ["t"],
      examples: ["e"],
      inputModes: ["a/b"],
      outputModes: ["c/d"],
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    },
  ],
  signatures: [{ protected: "p", signature: "s" }],
  iconUrl: "https://host/icon",
};

const interfaces = [
  { url: "https://host/a2a/echo", transport: "HTTP+JSON" },
  { url: "host:443", transport: "GRPC" },
];
const security = [{ key: [], oauth: ["read"] }];
const schemes = {
  key: { type: "apiKey", in: "header", name: "X-Key", description: "a key" },
  bearer: { type: "http", scheme: "Bearer", bearerFormat: "JWT" },
  oauth: { type: "oauth2", flows: { authorizationCode: flow }, oauth2MetadataUrl: "https://meta" },
  device: { type: "oauth2", flows: {} },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://oidc" },
  mtls: { type: "mutualTLS" },
};
const { securityRequirements: _, ...skill } = card.skills[0] ?? {
  id: "",
  name: "",
  description: "",
  tags: [],
};

test("the card of 0.3 leads with the first interface that speaks 0.3, and repeats it", () => {
  const { url, preferredTransport, additionalInterfaces, protocolVersion } = legacyCardOf(card);
  assert.deepEqual(
    { url, transport: preferredTransport },
    { url: "https://host/a2a/echo", transport: "HTTP+JSON" },
  );
  assert.deepEqual(additionalInterfaces, interfaces);
  assert.equal(protocolVersion, "0.3.0");
});

test("the card of 0.3 has the shapes of 0.3 and nothing of 1.0", () => {
  assert.deepEqual(legacyCardOf(card), {
    protocolVersion: "0.3.0",
    name: "Echo",
    description: "says it again",
    url: "https://host/a2a/echo",
    preferredTransport: "HTTP+JSON",
    additionalInterfaces: interfaces,
    iconUrl: "https://host/icon",
    provider: card.provider,
    version: "1",
    documentationUrl: "https://host/docs",
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [{ uri: "urn:x", required: true, params: { a: null } }],
    },
    securitySchemes: schemes,
    security,
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ ...skill, security: [{ bearer: [] }] }],
    supportsAuthenticatedExtendedCard: true,
    signatures: [{ protected: "p", signature: "s" }],
  });
});

test("a card without an interface of 0.3 has no form in 0.3", () => {
  const modern = { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) };
  assert.throws(() => legacyCardOf(modern), /Echo has no interface of 0\.3/);
  assert.throws(() => hybridCardOf(modern), /Echo has no interface of 0\.3/);
});

test("the hybrid card reads as the card of either version", () => {
  const hybrid = hybridCardOf(card);
  const read = messages.AgentCard.decode(withRequirements({ ...hybrid }));
  assert.deepEqual(read, messages.AgentCard.decode(card));
  assert.deepEqual(agentCardOf(hybrid), agentCardOf(legacyCardOf(card)));
});

test("the hybrid card has requirements in the form of 0.3 alone", () => {
  const hybrid = { ...hybridCardOf(card) } as { skills?: readonly object[] };
  for (const each of [hybrid, ...(hybrid.skills ?? [])]) {
    assert.ok("security" in each);
    assert.ok(!("securityRequirements" in each));
  }
});

test("a security scheme of the hybrid card carries both spellings in one object", () => {
  const { securitySchemes } = hybridCardOf(card) as { securitySchemes?: { key?: unknown } };
  assert.deepEqual(securitySchemes?.key, {
    type: "apiKey",
    in: "header",
    name: "X-Key",
    description: "a key",
    apiKeySecurityScheme: { location: "header", name: "X-Key", description: "a key" },
  });
});

test("a card of 0.3 that lacks most of it becomes a card of 1.0 with empty lists", () => {
  assert.deepEqual(agentCardOf({ name: "Old", url: "https://old", skills: [{ id: "s" }] }), {
    name: "Old",
    description: "",
    supportedInterfaces: [
      { url: "https://old", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ],
    version: "",
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [{ id: "s", name: "", description: "", tags: [] }],
  });
});

test("the first flow of a scheme with several is the one that 1.0 keeps", () => {
  const { scopes, tokenUrl } = flow;
  const flows = { password: { tokenUrl, scopes }, clientCredentials: { tokenUrl, scopes } };
  const legacy = { securitySchemes: { oauth: { type: "oauth2", flows } } };
  assert.deepEqual(agentCardOf(legacy).securitySchemes, {
    oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes } } } },
  });
});
