import assert from "node:assert/strict";
import { test } from "node:test";
import { securityLines } from "../../src/cli/card-security.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";

const CARD: AgentCard = {
  name: "N",
  description: "d",
  supportedInterfaces: [],
  version: "1",
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

test("what callers are to bring is a line for each way, of which any will do", () => {
  const securitySchemes = {
    apiKey: { apiKeySecurityScheme: { location: "header", name: "X-Api-Key" } },
    jwt: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://i.example/c" } },
    mtls: { mtlsSecurityScheme: {} },
  };
  const securityRequirements = [
    { schemes: { apiKey: { list: [] }, jwt: { list: [] } } },
    { schemes: { oidc: { list: [] } } },
    { schemes: { mtls: { list: [] } } },
    { schemes: { gone: { list: [] } } },
    { schemes: {} },
  ];
  assert.deepEqual(securityLines({ ...CARD, securitySchemes, securityRequirements }), [
    "apiKey: header X-Api-Key and jwt: Authorization Bearer",
    "oidc: OpenID Connect https://i.example/c",
    "mtls: client certificate",
    "gone: unknown",
    "nothing",
  ]);
});

test("a card that asks for nothing has no such line", () => {
  assert.deepEqual(securityLines(CARD), []);
});

test("names that others chose are shown with their control characters escaped", () => {
  const securityRequirements = [{ schemes: { "\u001b[2J": { list: [] } } }];
  assert.deepEqual(securityLines({ ...CARD, securityRequirements }), ["\\x1b[2J: unknown"]);
});
