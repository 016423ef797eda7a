import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Credentials } from "../../../src/access/credentials.ts";
import { VerifiedTokens } from "../../../src/access/jwt/verified-tokens.ts";
import type { JwtSettings } from "../../../src/access/settings.ts";
import type { Principal } from "../../../src/protocol/principal.ts";
import { accessBy, bearer, type OpenedAccess } from "../support/access.ts";
import { serveDocuments } from "../support/identity-server.ts";
import { AUDIENCE, ISSUER, newSigningKey, tokenOf, type SigningKey } from "../support/tokens.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function issued(t: TestContext, settings: Partial<JwtSettings> = {}) {
  const server = await serveDocuments(t);
  const publish = (...keys: readonly SigningKey[]): void => {
    server.documents = { "/keys": { keys: keys.map(({ jwk }) => jwk) } };
  };
  const key = await newSigningKey("k1");
  publish(key);
  const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: `${server.url}/keys`, ...settings };
  const another = () => accessBy([{ jwt }]);
  const access = await another();
  const now = Math.floor(access.clock.time / 1000);
  return { server, publish, key, access, another, now };
}

test("a token that was found good is known at once when it comes again", async (t) => {
  const { access, key } = await issued(t);
  const credentials = bearer(await tokenOf(key));
  // The keys were not there yet when the first one came.
  await access.authenticate(bearer(await tokenOf(key)));
  assert.equal(access.atOnce(credentials), undefined);
  const principal = await access.authenticate(credentials);
  assert.equal(access.atOnce(credentials), await access.authenticate(credentials));
  assert.deepEqual(access.atOnce(credentials), principal);
});

test("another token of the same claims is not known by it", async (t) => {
  const { access, key, now } = await issued(t);
  const claims = { iat: now, exp: now + 300 };
  const [one, stranger] = [key, await newSigningKey("k1")];
  const good = await tokenOf(one, claims);
  for (let times = 0; times < 3; times++) await access.authenticate(bearer(good));
  const forged = `${good.slice(0, good.lastIndexOf("."))}.AAAA`;
  for (const token of [forged, await tokenOf(stranger, claims)])
    await assert.rejects(access.authenticate(bearer(token)), { reason: "UNAUTHENTICATED" });
});

test("a token that is known expires to the millisecond as one that is not", async (t) => {
  const { access, another, key, now } = await issued(t, { clockSkew: 1500 });
  for (const exp of [now + 60, now + 60.25, now + 60.75]) {
    const token = bearer(await tokenOf(key, { exp }));
    access.clock.time = now * 1000;
    for (let times = 0; times < 2; times++) await access.authenticate(token);
    for (let at = now * 1000 + 60_000; at < now * 1000 + 64_000; at += 250) {
      const stranger = await another();
      stranger.clock.time = access.clock.time = at;
      assert.equal(await isGood(access, token), await isGood(stranger, token), `at ${at}`);
    }
    assert.equal(await isGood(access, token), false);
  }
});

function isGood(access: OpenedAccess, credentials: Credentials): Promise<boolean> {
  return access.authenticate(credentials).then(
    () => true,
    () => false,
  );
}

test("a token that is known is not good before its time, when the clock goes back", async (t) => {
  const { access, key, now } = await issued(t);
  const token = bearer(await tokenOf(key, { nbf: now, exp: now + 300 }));
  for (let times = 0; times < 2; times++) await access.authenticate(token);
  access.clock.time -= 2 * MINUTE;
  await assert.rejects(access.authenticate(token), { reason: "UNAUTHENTICATED" });
});

test("a token whose key was withdrawn is not known any more once the keys are renewed", async (t) => {
  const { access, publish, key, now } = await issued(t);
  const token = bearer(await tokenOf(key, { exp: now + 7200 }));
  for (let times = 0; times < 2; times++) await access.authenticate(token);
  publish(await newSigningKey("k2"));
  access.clock.time += HOUR;
  assert.equal(access.atOnce(token), undefined);
  await assert.rejects(access.authenticate(token), { reason: "UNAUTHENTICATED" });
});

test("keys are renewed while only tokens come that are known", async (t) => {
  const { access, publish, server, key, now } = await issued(t);
  const token = bearer(await tokenOf(key, { exp: now + 7200 }));
  for (let times = 0; times < 2; times++) await access.authenticate(token);
  publish(await newSigningKey("k2"));
  access.clock.time += 10 * MINUTE;
  assert.ok(access.atOnce(token));
  while (server.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
  while (access.atOnce(token) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(access.authenticate(token), { reason: "UNAUTHENTICATED" });
});

test("a token stays known when its issuer has the same keys as before", async (t) => {
  const { access, server, key, now } = await issued(t);
  const token = bearer(await tokenOf(key, { exp: now + 7200 }));
  for (let times = 0; times < 2; times++) await access.authenticate(token);
  access.clock.time += HOUR;
  assert.equal(access.atOnce(token), undefined);
  await access.authenticate(bearer(await tokenOf(key, { exp: now + 7200 })));
  assert.equal(server.asked.length, 2);
  assert.ok(access.atOnce(token));
});

test("a token stays known while its issuer is away", async (t) => {
  const { access, server, key, now } = await issued(t);
  const token = bearer(await tokenOf(key, { exp: now + 90_000 }));
  for (let times = 0; times < 2; times++) await access.authenticate(token);
  server.status = 503;
  access.clock.time += 2 * HOUR;
  await access.authenticate(token);
  assert.ok(access.atOnce(token));
  access.clock.time += 22 * HOUR;
  await assert.rejects(access.authenticate(token), { reason: "UNAVAILABLE" });
});

test("a token that is bound to a certificate is good on that connection alone, known or not", async (t) => {
  const { access, key } = await issued(t);
  const certificate = (thumbprint: string) => ({
    certificate: { thumbprint, commonName: undefined, uri: [], dns: [], email: [] },
  });
  const token = await tokenOf(key, { cnf: { "x5t#S256": "mine" } });
  for (let times = 0; times < 2; times++)
    await access.authenticate(bearer(token, certificate("mine")));
  assert.ok(access.atOnce(bearer(token, certificate("mine"))));
  for (const given of [certificate("other"), {}])
    await assert.rejects(access.authenticate(bearer(token, given)), { reason: "UNAUTHENTICATED" });
});

test("what is remembered is bounded: by number, and by the length of a token", () => {
  const verified = new VerifiedTokens();
  const checked = { keys: {}, at: 0 };
  const principal: Principal = {
    id: "a",
    tenant: "",
    scopes: new Set(),
    claims: { exp: 100 },
    method: "jwt",
  };
  const long = "a".repeat(5000);
  verified.remember(long, { principal, checked, clockSkew: 0 });
  assert.equal(verified.find(long, checked), undefined);
  for (let number = 0; number <= 10_000; number++)
    verified.remember(`token ${number}`, { principal, checked, clockSkew: 0 });
  assert.equal(verified.find("token 0", checked), undefined);
  assert.equal(verified.find("token 1", checked), principal);
});
