import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { OidcSettings } from "../../../src/access/settings.ts";
import { accessBy, bearer } from "../support/access.ts";
import { serve, serveDocuments } from "../support/identity-server.ts";
import { AUDIENCE, ISSUER, newSigningKey, tokenOf, type SigningKey } from "../support/tokens.ts";

const MINUTE = 60_000;

async function rotating(t: TestContext) {
  const server = await serveDocuments(t);
  const publish = (...keys: readonly SigningKey[]): void => {
    server.documents = { "/keys": { keys: keys.map(({ jwk }) => jwk) } };
  };
  const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: `${server.url}/keys` };
  const access = await accessBy([{ jwt }]);
  const enter = async (key: SigningKey) => {
    // The token lasts longer than the clock is moved.
    const exp = Math.floor(access.clock.time / 1000) + 300;
    return access.authenticate(bearer(await tokenOf(key, { exp })));
  };
  return { server, publish, access, enter };
}

test("keys are asked for once, when the first token comes, however many come", async (t) => {
  const { server, publish, enter } = await rotating(t);
  const key = await newSigningKey("k1");
  publish(key);
  assert.deepEqual(server.asked, []);
  await Promise.all(Array.from({ length: 20 }, () => enter(key)));
  await enter(key);
  assert.deepEqual(server.asked, ["/keys"]);
});

test("a key that is not there is asked for again, but not more often than every half minute", async (t) => {
  const { server, publish, access, enter } = await rotating(t);
  const [first, second] = [await newSigningKey("k1"), await newSigningKey("k2")];
  publish(first);
  await enter(first);
  publish(second);
  await assert.rejects(enter(second), { reason: "UNAUTHENTICATED" });
  access.clock.time += 30_000;
  await enter(second);
  await assert.rejects(enter(first), { reason: "UNAUTHENTICATED" });
  for (let i = 0; i < 20; i++)
    await assert.rejects(enter(await newSigningKey(`unknown ${i}`)), { reason: "UNAUTHENTICATED" });
  assert.equal(server.asked.length, 2);
});

test("keys are renewed by and by, and a key that was withdrawn is not taken any more", async (t) => {
  const { server, publish, access, enter } = await rotating(t);
  const [first, second] = [await newSigningKey("k1"), await newSigningKey("k2")];
  publish(first, second);
  await enter(first);
  publish(second);
  access.clock.time += 60 * MINUTE;
  await assert.rejects(enter(first), { reason: "UNAUTHENTICATED" });
  await enter(second);
  assert.equal(server.asked.length, 2);
});

test("while the issuer is away tokens are neither good nor bad, and it is left in peace", async (t) => {
  const { server, publish, access, enter } = await rotating(t);
  const key = await newSigningKey("k1");
  server.status = 503;
  for (let i = 0; i < 5; i++)
    await assert.rejects(enter(key), { reason: "UNAVAILABLE", retryAfter: 5 });
  assert.equal(server.asked.length, 1);
  server.status = undefined;
  publish(key);
  access.clock.time += 5_000;
  await enter(key);
});

test("keys outlive an outage of their issuer, for a day", async (t) => {
  const { server, publish, access, enter } = await rotating(t);
  const key = await newSigningKey("k1");
  publish(key);
  await enter(key);
  server.status = 500;
  access.clock.time += 23 * 60 * MINUTE;
  await enter(key);
  access.clock.time += 60 * MINUTE;
  await assert.rejects(enter(key), { reason: "UNAVAILABLE" });
});

test("an answer that is no key set, too long, or elsewhere is none", async (t) => {
  let isRedirectFollowed = false;
  const url = await serve(t, (req, res) => {
    if (req.url === "/moved") res.writeHead(302, { location: "/keys" }).end();
    else if (req.url === "/long") res.end(`{"keys":[],"x":"${"x".repeat(300_000)}"}`);
    else if (req.url === "/text") res.end("hello");
    else if (req.url === "/list") res.end("[]");
    else if (req.url === "/other") res.end("{}");
    else if (req.url === "/packed") res.writeHead(200, { "content-encoding": "gzip" }).end("x");
    else isRedirectFollowed = true;
  });
  const token = await tokenOf(await newSigningKey("k1"));
  for (const path of ["moved", "long", "text", "list", "other", "packed"]) {
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: `${url}/${path}` };
    const access = await accessBy([{ jwt }]);
    await assert.rejects(access.authenticate(bearer(token)), { reason: "UNAVAILABLE" }, path);
    assert.equal(access.log.lines[0]?.message, "keys of an issuer not fetched");
  }
  assert.equal(isRedirectFollowed, false);
});

test("an issuer that does not come to an end within five seconds is away", async (t) => {
  const url = await serve(t, (req, res) => {
    if (req.url === "/mute") return;
    const drip = setInterval(() => res.write(" "), 100);
    res.on("close", () => clearInterval(drip));
  });
  const token = await tokenOf(await newSigningKey("k1"));
  const outcomes = ["mute", "dripping"].map(async (path) => {
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: `${url}/${path}` };
    const access = await accessBy([{ jwt }]);
    await assert.rejects(access.authenticate(bearer(token)), { reason: "UNAVAILABLE" });
  });
  await Promise.all(outcomes);
});

/** An issuer at a server of its own, of which a test may change what it says. */
async function discovering(t: TestContext, settings: Partial<OidcSettings> = {}) {
  const server = await serveDocuments(t);
  const key = await newSigningKey("k1");
  const says = (configuration: object): void => {
    server.documents = {
      "/.well-known/openid-configuration": configuration,
      "/keys": { keys: [key.jwk] },
    };
  };
  says({ issuer: server.url, jwks_uri: `${server.url}/keys` });
  const access = await accessBy([
    { oidc: { issuer: server.url, audience: AUDIENCE, ...settings } },
  ]);
  const enter = async () => {
    const exp = Math.floor(access.clock.time / 1000) + 300;
    return access.authenticate(bearer(await tokenOf(key, { iss: server.url, exp })));
  };
  return { server, says, access, enter };
}

test("an issuer's keys are where its configuration says, which is asked for once an hour", async (t) => {
  const { server, access, enter } = await discovering(t);
  assert.equal((await enter()).method, "oidc");
  assert.deepEqual(server.asked, ["/.well-known/openid-configuration", "/keys"]);
  access.clock.time += 60 * MINUTE;
  await enter();
  assert.equal(server.asked.length, 4);
});

test("the configuration of another issuer, or with keys elsewhere, is none", async (t) => {
  const { server, says, access, enter } = await discovering(t);
  const keys = `${server.url}/keys`;
  const wrong = [
    { issuer: "https://other.example", jwks_uri: keys },
    { issuer: `${server.url}/`, jwks_uri: keys },
    { issuer: server.url },
    { issuer: server.url, jwks_uri: "keys" },
    { issuer: server.url, jwks_uri: keys.replace("127.0.0.1", "localhost") },
    { issuer: server.url, jwks_uri: "file:///etc/passwd" },
  ];
  for (const configuration of wrong) {
    says(configuration);
    await assert.rejects(enter(), { reason: "UNAVAILABLE" }, JSON.stringify(configuration));
    access.clock.time += 5_000;
  }
  assert.ok(!server.asked.includes("/keys"));
});

test("keys may be at a host that is configured", async (t) => {
  const keysAt = await serveDocuments(t);
  const { server, says, enter } = await discovering(t, { hosts: [new URL(keysAt.url).host] });
  says({ issuer: server.url, jwks_uri: `${keysAt.url}/keys` });
  keysAt.documents = server.documents;
  await enter();
  assert.deepEqual(keysAt.asked, ["/keys"]);
});

test("an issuer that was away is asked again when the clock is set back", async (t) => {
  const { server, publish, access, enter } = await rotating(t);
  const key = await newSigningKey("k1");
  server.status = 503;
  await assert.rejects(enter(key), { reason: "UNAVAILABLE" });
  server.status = undefined;
  publish(key);
  access.clock.time -= 60 * MINUTE;
  await assert.rejects(enter(key), { reason: "UNAVAILABLE" });
  access.clock.time += 5_000;
  await enter(key);
});
