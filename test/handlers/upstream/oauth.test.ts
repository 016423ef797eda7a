import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import {
  openCredentials,
  type Credentials,
} from "../../../src/handlers/upstream/credentials/credentials.ts";
import type { UpstreamOAuth2 } from "../../../src/handlers/upstream/config.ts";
import { serve, type Respond } from "./support.ts";

interface Scene {
  readonly credentials: Credentials;
  readonly clock: { now: number };
  /** The bodies of the token requests so far. */
  readonly asked: string[];
  authorization(): Promise<string | undefined>;
}

/** An authorization server whose tokens are numbered, and credentials that use it. */
async function scene(
  context: TestContext,
  settings: Partial<UpstreamOAuth2> = {},
  answer: (number: number) => object = (number) => ({
    access_token: `t${number}`,
    token_type: "Bearer",
    expires_in: 100,
  }),
): Promise<Scene> {
  const clock = { now: 0 };
  const asked: string[] = [];
  const respond: Respond = ({ headers }, response, body) => {
    asked.push(`${headers.authorization} ${body}`);
    const { status = 200, ...json } = answer(asked.length) as { status?: number };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  };
  const { url } = await serve(context, respond);
  const oauth2 = { tokenUrl: `${url}/token`, clientId: "id", clientSecret: "s", ...settings };
  const deps = { baseDir: "/", now: () => clock.now };
  const credentials = await openCredentials({ auth: { oauth2 } }, deps);
  const authorization = async () => (await credentials.headersFor({}))["authorization"];
  return { credentials, clock, asked, authorization };
}

test("asks for a token with the client's credentials, the scopes and the audience", async (context) => {
  const { authorization, asked } = await scene(context, { scopes: ["a", "b"], audience: "up" });
  assert.equal(await authorization(), "Bearer t1");
  const [sent = ""] = asked;
  const [, basic = "", body = ""] = sent.split(" ");
  assert.equal(Buffer.from(basic, "base64").toString(), "id:s");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    grant_type: "client_credentials",
    scope: "a b",
    audience: "up",
  });
});

test("asks once for many calls at a time, and keeps the token", async (context) => {
  const { authorization, asked } = await scene(context);
  const all = await Promise.all(Array.from({ length: 20 }, authorization));
  assert.deepEqual(new Set(all), new Set(["Bearer t1"]));
  assert.equal(await authorization(), "Bearer t1");
  assert.equal(asked.length, 1);
});

test("renews a token before it expires, without a call that waits for it", async (context) => {
  const { authorization, clock, asked } = await scene(context);
  await authorization();
  clock.now = 91_000;
  assert.equal(await authorization(), "Bearer t1");
  while ((await authorization()) !== "Bearer t2") await setImmediate();
  assert.equal(asked.length, 2);
});

test("waits for a new token when the old one has expired", async (context) => {
  const { authorization, clock } = await scene(context);
  await authorization();
  clock.now = 100_000;
  assert.equal(await authorization(), "Bearer t2");
});

test("keeps a token for a while that does not say when it expires", async (context) => {
  const { authorization, clock } = await scene(context, {}, (number) => ({
    access_token: `t${number}`,
    token_type: "bearer",
  }));
  await authorization();
  clock.now = 200_000;
  assert.equal(await authorization(), "Bearer t1");
  clock.now = 300_000;
  assert.equal(await authorization(), "Bearer t2");
});

test("replaces a token that the agent refuses, but not one that has just come", async (context) => {
  const { credentials, authorization, clock, asked } = await scene(context);
  const sent = await credentials.headersFor({});
  assert.equal(credentials.refused(sent), false);
  clock.now = 10_000;
  assert.equal(credentials.refused(sent), true);
  assert.equal(await authorization(), "Bearer t2");
  assert.equal(credentials.refused(sent), true, "there is a newer one already");
  assert.equal(await authorization(), "Bearer t2");
  assert.equal(asked.length, 2);
});

for (const [what, answer] of [
  ["an error", { status: 400, error: "invalid_client" }],
  ["a page", { status: 503 }],
  ["a token of another kind", { access_token: "t", token_type: "mac" }],
  ["no token", { token_type: "bearer" }],
] as const)
  test(`is unavailable when the authorization server answers with ${what}, and does not ask at once again`, async (context) => {
    const { authorization, clock, asked } = await scene(context, {}, () => answer);
    const unavailable = { reason: "UNAVAILABLE", retryAfter: 5, message: /cannot sign in/ };
    await assert.rejects(authorization(), unavailable);
    await assert.rejects(authorization(), unavailable);
    assert.equal(asked.length, 1);
    clock.now = 5_000;
    await assert.rejects(authorization(), unavailable);
    assert.equal(asked.length, 2);
  });

test("uses a token to its end when no new one can be had", async (context) => {
  const { authorization, clock } = await scene(context, {}, (number) =>
    number === 1 ? { access_token: "t1", token_type: "bearer", expires_in: 100 } : { status: 500 },
  );
  await authorization();
  clock.now = 99_000;
  assert.equal(await authorization(), "Bearer t1");
  clock.now = 100_000;
  await assert.rejects(authorization(), { reason: "UNAVAILABLE" });
});
