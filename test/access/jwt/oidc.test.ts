/** Tokens of a real OpenID provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessBy, bearer, refusalOf } from "../support/access.ts";
import { CLIENT, OPAQUE, SIGNED, startProvider } from "../support/provider.ts";

test("a token that a provider has made for us says who comes and with which scopes", async (t) => {
  const provider = await startProvider(t);
  const oidc = { issuer: provider.issuer, audience: SIGNED, typ: "at+jwt" };
  const access = await accessBy([{ oidc }]);
  const found = await access.authenticate(bearer(await provider.token(SIGNED)));
  assert.deepEqual([found.id, found.tenant, found.method], [CLIENT.id, "", "oidc"]);
  assert.deepEqual(found.scopes, new Set(["send", "read"]));
  assert.equal(found.claims["client_id"], CLIENT.id);
});

test("a token that the provider has made for somebody else, or that it alone can read, is refused", async (t) => {
  const provider = await startProvider(t);
  const oidc = { issuer: provider.issuer, audience: "https://us.example" };
  const access = await accessBy([{ oidc }]);
  const signed = await refusalOf(access, bearer(await provider.token(SIGNED)));
  assert.equal(signed.message, "the bearer token is not valid");
  const opaque = await refusalOf(access, bearer(await provider.token(OPAQUE)));
  assert.equal(opaque.reason, "UNAUTHENTICATED");
});

test("a token of the provider is good until its end", async (t) => {
  const provider = await startProvider(t);
  const access = await accessBy([{ oidc: { issuer: provider.issuer, audience: SIGNED } }]);
  const token = await provider.token(SIGNED);
  access.clock.time += 590_000;
  assert.equal((await access.authenticate(bearer(token))).id, CLIENT.id);
  access.clock.time += 41_000;
  const refusal = await refusalOf(access, bearer(token));
  assert.equal(refusal.message, "the bearer token has expired");
});
