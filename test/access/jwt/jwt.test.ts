import assert from "node:assert/strict";
import { createPublicKey, createSecretKey, type JsonWebKey } from "node:crypto";
import { test, type TestContext } from "node:test";
import { SignJWT, UnsecuredJWT } from "jose";
import type { JwtSettings } from "../../../src/access/settings.ts";
import { accessBy, bearer, refusalOf, request } from "../support/access.ts";
import { directoryWith } from "../support/directory.ts";
import {
  AUDIENCE,
  ISSUER,
  newSigningKey,
  tokenOf,
  UNKNOWN_EXTENSION,
  type SigningKey,
} from "../support/tokens.ts";

/** An access section that knows the keys by a file. */
async function accessFor(
  t: TestContext,
  keys: readonly SigningKey[],
  settings: Partial<JwtSettings> = {},
) {
  const baseDir = await directoryWith(t, { "keys.json": keySetOf(keys) });
  const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: "keys.json", ...settings };
  return accessBy([{ jwt }], { baseDir });
}

function keySetOf(keys: readonly SigningKey[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

const seconds = Math.floor(Date.now() / 1000);

test("a token of each algorithm is taken, and its claims say who it is", async (t) => {
  for (const algorithm of ["RS256", "PS384", "ES256", "ES512", "EdDSA"]) {
    const key = await newSigningKey("k1", algorithm);
    const access = await accessFor(t, [key]);
    const token = await tokenOf(key, { scope: "send read" });
    const { id, tenant, scopes, claims, method } = await access.authenticate(bearer(token));
    assert.deepEqual([id, tenant, [...scopes], method], ["alice", "", ["send", "read"], "jwt"]);
    assert.equal(claims["iss"], ISSUER);
  }
});

test("a token says when it has expired, and what is told is in the challenge", async (t) => {
  const key = await newSigningKey("k1");
  const access = await accessFor(t, [key]);
  const token = await tokenOf(key, { exp: seconds - 60 });
  const refusal = await refusalOf(access, bearer(token));
  assert.equal(refusal.reason, "UNAUTHENTICATED");
  assert.deepEqual(refusal.challenges, [
    'Bearer realm="a2a-gateway", error="invalid_token", ' +
      'error_description="the bearer token has expired"',
  ]);
});

test("clocks may be apart as far as is configured", async (t) => {
  const key = await newSigningKey("k1");
  const access = await accessFor(t, [key], { clockSkew: 5_000 });
  const enter = async (claims: object) =>
    access.authenticate(bearer(await tokenOf(key, { ...claims })));
  await enter({ exp: seconds - 2 });
  await enter({ nbf: Math.floor(access.clock.time / 1000) + 3 });
  await assert.rejects(enter({ exp: seconds - 10 }), { reason: "UNAUTHENTICATED" });
  await assert.rejects(enter({ nbf: seconds + 60 }), { reason: "UNAUTHENTICATED" });
});

test("a token that is not ours to take is refused", async (t) => {
  const key = await newSigningKey("k1");
  const other = await newSigningKey("k1");
  const rsa = await newSigningKey("rsa", "RS256");
  const access = await accessFor(t, [key, rsa], { algorithms: ["ES256", "RS256"] });
  const pem = createPublicKey({ key: rsa.jwk as JsonWebKey, format: "jwk" });
  const shared = createSecretKey(pem.export({ type: "spki", format: "pem" }) as string, "utf8");
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: "alice", exp: seconds + 300 };
  const good = await tokenOf(key);
  const [head = "", payload = "", signature = ""] = good.split(".");
  const tokens: Readonly<Record<string, string>> = {
    "another issuer": await tokenOf(key, { iss: "https://other.example" }),
    "no issuer": await tokenOf(key, { iss: undefined }),
    "another audience": await tokenOf(key, { aud: "https://other.example" }),
    "no audience": await tokenOf(key, { aud: undefined }),
    "no end": await tokenOf(key, { exp: undefined }),
    "no subject": await tokenOf(key, { sub: undefined }),
    "an empty subject": await tokenOf(key, { sub: "" }),
    "a key of the same name": await tokenOf(other),
    "a key that brings itself": await tokenOf(other, {}, { jwk: other.jwk, kid: "new" }),
    "no signature": new UnsecuredJWT(claims).encode(),
    "an empty signature": `${head}.${payload}.`,
    "another payload": `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`,
    "the public key as the secret": await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "rsa" })
      .sign(shared),
    "an extension that must be understood": await tokenOf(
      key,
      {},
      { crit: [UNKNOWN_EXTENSION], [UNKNOWN_EXTENSION]: true },
    ),
    "another type": await tokenOf(key, {}, { typ: "logout+jwt" }),
    "a binding to a key": await tokenOf(key, { cnf: { jkt: "abc" } }),
    "an algorithm that is not configured": await tokenOf(await newSigningKey("k1", "ES384")),
    "something else": "opaque",
    nothing: "",
    "more than fits": "a".repeat(20_000),
  };
  for (const [what, token] of Object.entries(tokens))
    await t.test(what, async () => {
      const refusal = await refusalOf(access, bearer(token));
      assert.equal(refusal.reason, "UNAUTHENTICATED");
      assert.match(refusal.challenges.join(), /error="invalid_token"/);
    });
  assert.equal((await access.authenticate(bearer(good))).id, "alice");
});

test("a key set with a secret in it does not make a shared secret a signature", async (t) => {
  const secret = Buffer.alloc(32, 7);
  const jwk = { kty: "oct", k: secret.toString("base64url"), kid: "s", alg: "HS256" };
  const access = await accessFor(t, [{ ...(await newSigningKey("s")), jwk }]);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: "alice", exp: seconds + 300 };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: "s" })
    .sign(createSecretKey(secret));
  assert.equal((await refusalOf(access, bearer(token))).reason, "UNAUTHENTICATED");
});

test("the audience may be one of several, and need not be looked at where that is said", async (t) => {
  const key = await newSigningKey("k1");
  const several = await accessFor(t, [key], { audience: ["a", "b"] });
  await several.authenticate(bearer(await tokenOf(key, { aud: ["x", "b"] })));
  await assert.rejects(several.authenticate(bearer(await tokenOf(key, { aud: "c" }))));
  const any = await accessFor(t, [key], { audience: false });
  await any.authenticate(bearer(await tokenOf(key, { aud: undefined })));
});

test("the type that is configured is asked for, with or without its prefix", async (t) => {
  const key = await newSigningKey("k1");
  const access = await accessFor(t, [key], { typ: "at+jwt" });
  for (const typ of ["at+jwt", "AT+JWT", "application/at+jwt"])
    await access.authenticate(bearer(await tokenOf(key, {}, { typ })));
  for (const header of [{}, { typ: "JWT" }]) {
    const refusal = await refusalOf(access, bearer(await tokenOf(key, {}, header)));
    assert.equal(refusal.message, "the bearer token is of another type");
  }
});

test("a token that names no key is tried with each", async (t) => {
  const keys = [await newSigningKey(undefined), await newSigningKey(undefined)];
  const access = await accessFor(t, keys);
  for (const key of keys) await access.authenticate(bearer(await tokenOf(key)));
  const stranger = await newSigningKey(undefined);
  await assert.rejects(access.authenticate(bearer(await tokenOf(stranger))), {
    reason: "UNAUTHENTICATED",
  });
});

test("tokens of two issuers are told apart", async (t) => {
  const [one, two] = [await newSigningKey("k"), await newSigningKey("k")];
  const files = { "one.json": keySetOf([one]), "two.json": keySetOf([two]) };
  const baseDir = await directoryWith(t, files);
  const access = await accessBy(
    [
      { jwt: { issuer: ISSUER, audience: AUDIENCE, jwks: "one.json" } },
      { jwt: { issuer: "urn:two", audience: AUDIENCE, jwks: "two.json", tenant: "two" } },
    ],
    { baseDir },
  );
  assert.equal((await access.authenticate(bearer(await tokenOf(one)))).tenant, "");
  const second = await tokenOf(two, { iss: "urn:two" });
  assert.equal((await access.authenticate(bearer(second))).tenant, "two");
  const crossed = await tokenOf(two);
  await assert.rejects(access.authenticate(bearer(crossed)), { reason: "UNAUTHENTICATED" });
});

test("a token in the query is none", async (t) => {
  const key = await newSigningKey("k1");
  const access = await accessFor(t, [key]);
  const query = new URLSearchParams({ access_token: await tokenOf(key) });
  assert.equal((await refusalOf(access, request({ query }))).message, "credentials are needed");
});
