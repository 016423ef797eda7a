import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCard } from "../../../src/protocol/agent-card.ts";
import { textOf } from "../../../src/protocol/ready-made.ts";
import { grpcCodecs } from "../../../src/wire/v0_3/grpc-codecs.ts";
import { messages } from "../../../src/wire/v0_3/messages.ts";
import { restCodecs } from "../../../src/wire/v0_3/rest-codecs.ts";

const scopes = { read: "may read" };
const flow = { tokenUrl: "https://a/token", authorizationUrl: "https://a/auth", scopes };
const requirement = { schemes: { oauth: { list: ["read"] }, key: {} } };
const skill = { id: "s", name: "S", description: "d", tags: ["x"], examples: ["e"] };

const card: AgentCard = {
  name: "Agent",
  description: "does things",
  version: "1.2.3",
  supportedInterfaces: [
    { url: "https://x/a2a/x", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://x/a2a/x", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "x:443", protocolBinding: "GRPC", protocolVersion: "0.3" },
  ],
  provider: { url: "https://p", organization: "P" },
  documentationUrl: "https://d",
  iconUrl: "https://i",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [{ uri: "https://e/1", required: true, params: { k: null } }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    http: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
    oauth: {
      oauth2SecurityScheme: { flows: { authorizationCode: { ...flow, pkceRequired: true } } },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
    mtls: { mtlsSecurityScheme: { description: "m" } },
  },
  securityRequirements: [requirement],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ ...skill, securityRequirements: [requirement] }],
  signatures: [{ protected: "p", signature: "s", header: { kid: "k" } }],
};

test("the card of the protobuf names its 0.3 addresses and keeps the shapes of security", () => {
  const bytes = grpcCodecs(true).getExtendedAgentCard.encode(card);
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual(messages.AgentCard.fromProto(bytes), {
    protocolVersion: "0.3.0",
    name: "Agent",
    description: "does things",
    version: "1.2.3",
    url: "https://x/a2a/x",
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url: "https://x/a2a/x", transport: "JSONRPC" },
      { url: "x:443", transport: "GRPC" },
    ],
    provider: card.provider,
    documentationUrl: "https://d",
    iconUrl: "https://i",
    supportsAuthenticatedExtendedCard: true,
    capabilities: {
      streaming: true,
      extensions: [{ uri: "https://e/1", required: true, params: { k: null } }],
    },
    securitySchemes: {
      ...card.securitySchemes,
      oauth: { oauth2SecurityScheme: { flows: { authorizationCode: flow } } },
    },
    security: [requirement],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ ...skill, security: [requirement] }],
    signatures: card.signatures,
  });
});

test("on HTTP+JSON the card is one for readers of the protobuf's schemes and of the JSON schema's", () => {
  const wire: unknown = JSON.parse(textOf(restCodecs.getExtendedAgentCard.encode(card)));
  const read = messages.AgentCard.decode(wire);
  assert.deepEqual(read.securitySchemes?.["key"], {
    apiKeySecurityScheme: { location: "header", name: "X-Key" },
  });
  assert.deepEqual((wire as { securitySchemes: { key: object } }).securitySchemes.key, {
    type: "apiKey",
    in: "header",
    name: "X-Key",
    apiKeySecurityScheme: { location: "header", name: "X-Key" },
  });
});
