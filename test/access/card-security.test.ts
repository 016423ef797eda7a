import assert from "node:assert/strict";
import { test } from "node:test";
import { cardSecurityOf } from "../../src/access/card-security.ts";
import type { AuthenticatorSettings } from "../../src/access/settings.ts";

const issuer = "https://issuer.example/";
const asked = { url: "https://a.example/i", clientId: "us", clientSecret: "s", audience: "us" };
const ALL: readonly AuthenticatorSettings[] = [
  { apiKey: { in: "cookie", name: "key" } },
  { basic: { users: [] } },
  { jwt: { issuer: "https://one.example", audience: "us", jwks: "keys.json" } },
  { jwt: { issuer: "https://two.example", audience: "us", jwks: "keys.json" } },
  { oidc: { issuer, audience: "us" } },
  { oidc: { issuer: "https://other.example", audience: "us" } },
  { introspection: asked },
  { mtls: { principals: [] } },
];

test("each way to be let in is a scheme of the card, and any one of them will do", () => {
  const { securitySchemes, securityRequirements } = cardSecurityOf({
    mode: "required",
    authenticators: ALL,
  });
  assert.deepEqual(securitySchemes, {
    apiKey: { apiKeySecurityScheme: { location: "cookie", name: "key" } },
    basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
    jwt: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
    oidc: {
      openIdConnectSecurityScheme: {
        openIdConnectUrl: "https://issuer.example/.well-known/openid-configuration",
      },
    },
    oidc2: {
      openIdConnectSecurityScheme: {
        openIdConnectUrl: "https://other.example/.well-known/openid-configuration",
      },
    },
    introspection: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    mtls: { mtlsSecurityScheme: {} },
  });
  assert.deepEqual(
    securityRequirements,
    Object.keys(securitySchemes).map((name) => ({ schemes: { [name]: { list: [] } } })),
  );
});

test("where credentials are optional, none are one of the ways", () => {
  const { securityRequirements } = cardSecurityOf({
    mode: "optional",
    authenticators: [{ basic: { users: [] } }],
  });
  assert.deepEqual(securityRequirements, [{ schemes: { basic: { list: [] } } }, { schemes: {} }]);
});

test("where nobody is asked, the card asks for nothing", () => {
  assert.deepEqual(cardSecurityOf({ mode: "off", authenticators: ALL }), {});
});
