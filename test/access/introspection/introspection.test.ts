import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { IntrospectionSettings } from "../../../src/access/settings.ts";
import { accessBy, bearer, refusalOf } from "../support/access.ts";
import { directoryWith } from "../support/directory.ts";
import { bodyOf, serve } from "../support/identity-server.ts";
import { CLIENT, GATEWAY, OPAQUE, SIGNED, startProvider } from "../support/provider.ts";

test("a real provider is asked about a token that it alone can read", async (t) => {
  const provider = await startProvider(t);
  const baseDir = await directoryWith(t, { secret: `${GATEWAY.secret}\n` });
  const introspection: IntrospectionSettings = {
    url: provider.introspectionUrl,
    clientId: GATEWAY.id,
    clientSecret: { file: "secret" },
    audience: OPAQUE,
    // A client that comes for itself has no subject there.
    subjectClaim: "client_id",
  };
  const access = await accessBy([{ introspection }], { baseDir });
  const token = await provider.token(OPAQUE);
  const found = await access.authenticate(bearer(token));
  assert.deepEqual([found.id, found.method], [CLIENT.id, "introspection"]);
  assert.deepEqual(found.scopes, new Set(["send", "read"]));

  await assert.rejects(access.authenticate(bearer("made-up")), { reason: "UNAUTHENTICATED" });
  await provider.revoke(token);
  assert.equal((await access.authenticate(bearer(token))).id, CLIENT.id);
  access.clock.time += 60_000;
  await assert.rejects(access.authenticate(bearer(token)), { reason: "UNAUTHENTICATED" });
});

test("a token of a real provider that names no subject, or is for somebody else, is refused", async (t) => {
  const provider = await startProvider(t);
  const introspection: IntrospectionSettings = {
    url: provider.introspectionUrl,
    clientId: GATEWAY.id,
    clientSecret: GATEWAY.secret,
    audience: OPAQUE,
  };
  const access = await accessBy([{ introspection }]);
  const own = await refusalOf(access, bearer(await provider.token(OPAQUE)));
  assert.equal(own.message, "the bearer token names no subject");
  const other = await refusalOf(access, bearer(await provider.token(SIGNED)));
  assert.equal(other.reason, "UNAUTHENTICATED");
});

/** A server that says of each token what a test has told it. */
async function scripted(t: TestContext, settings: Partial<IntrospectionSettings> = {}) {
  const answers: Record<string, unknown> = {};
  const asked: string[] = [];
  const headers: (string | undefined)[] = [];
  const url = await serve(t, (req, res) => {
    headers.push(req.headers.authorization);
    void bodyOf(req).then((body) => {
      const token = new URLSearchParams(body).get("token") ?? "";
      asked.push(token);
      const answer = answers[token] ?? { active: false };
      if (typeof answer === "number") res.statusCode = answer;
      res.end(JSON.stringify(answer));
    });
  });
  const introspection = {
    url,
    clientId: "us",
    clientSecret: "s",
    audience: false,
    ...settings,
  } as const;
  const access = await accessBy([{ introspection }], { mode: "optional" });
  const enter = (token: string) => access.authenticate(bearer(token));
  return { answers, asked, headers, access, enter };
}

const ALICE = { active: true, sub: "alice" };

test("an answer counts for a minute, one that a token is not good for ten seconds", async (t) => {
  const { answers, asked, access, enter } = await scripted(t);
  answers["good"] = ALICE;
  await Promise.all(Array.from({ length: 10 }, () => enter("good")));
  access.clock.time += 59_999;
  await enter("good");
  assert.deepEqual(asked, ["good"]);
  access.clock.time += 1;
  await enter("good");
  assert.deepEqual(asked, ["good", "good"]);

  await assert.rejects(enter("bad"), { reason: "UNAUTHENTICATED" });
  answers["bad"] = ALICE;
  await assert.rejects(enter("bad"), { reason: "UNAUTHENTICATED" });
  access.clock.time += 10_000;
  assert.equal((await enter("bad")).id, "alice");
});

test("an answer counts no longer than its token", async (t) => {
  const { answers, asked, access, enter } = await scripted(t, { cacheFor: 3_600_000 });
  const exp = Math.ceil(access.clock.time / 1000) + 20;
  answers["good"] = { ...ALICE, exp };
  await enter("good");
  access.clock.time = exp * 1000;
  await enter("good");
  assert.equal(asked.length, 2);
  access.clock.time += 30_000;
  await assert.rejects(enter("good"), { reason: "UNAUTHENTICATED" });
});

test("an answer counts no longer when the clock is set back", async (t) => {
  const { answers, access, enter } = await scripted(t);
  answers["good"] = ALICE;
  await enter("good");
  answers["good"] = { active: false };
  access.clock.time -= 3_600_000;
  await enter("good");
  access.clock.time += 60_000;
  await assert.rejects(enter("good"), { reason: "UNAUTHENTICATED" });
});

test("a token that is not an access token for us, now, is refused", async (t) => {
  const { answers, access, enter } = await scripted(t, { audience: "us" });
  const now = Math.floor(access.clock.time / 1000);
  const good = { ...ALICE, aud: ["others", "us"] };
  const wrong: Record<string, unknown> = {
    another: { ...good, aud: "others" },
    audience: { ...ALICE },
    expired: { ...good, exp: now - 60 },
    early: { ...good, nbf: now + 60 },
    refresh: { ...good, token_type: "refresh_token" },
    bound: { ...good, cnf: { "x5t#S256": "abc" } },
    nobody: { ...good, sub: undefined },
    inactive: { ...good, active: false },
  };
  Object.assign(answers, wrong, { good, typed: { ...good, token_type: "Bearer" } });
  for (const token of Object.keys(wrong))
    await assert.rejects(enter(token), { reason: "UNAUTHENTICATED" }, token);
  assert.equal((await enter("good")).id, "alice");
  assert.equal((await enter("typed")).id, "alice");
});

test("a token that the server will not be asked about keeps nobody else out", async (t) => {
  const { answers, enter } = await scripted(t);
  Object.assign(answers, { odd: 400, long: 414, attack: 403, good: ALICE });
  for (const token of ["odd", "long", "attack"])
    await assert.rejects(enter(token), { reason: "UNAVAILABLE" });
  assert.equal((await enter("good")).id, "alice");
  answers["stranger"] = 401;
  await assert.rejects(enter("stranger"), { reason: "UNAVAILABLE" });
  answers["other"] = ALICE;
  await assert.rejects(enter("other"), { reason: "UNAVAILABLE" });
});

test("while the server is away tokens are neither good nor bad, and it is left in peace", async (t) => {
  const { answers, asked, access, enter } = await scripted(t);
  answers["known"] = ALICE;
  await enter("known");
  answers["new"] = 500;
  for (let i = 0; i < 5; i++)
    await assert.rejects(enter("new"), { reason: "UNAVAILABLE", retryAfter: 2 });
  assert.deepEqual(asked, ["known", "new"]);
  assert.equal((await enter("known")).id, "alice");
  answers["new"] = ALICE;
  access.clock.time += 2_000;
  assert.equal((await enter("new")).id, "alice");
});

test("an answer that does not say whether the token is active is none", async (t) => {
  const { answers, enter } = await scripted(t);
  answers["good"] = { ...ALICE, active: "true" };
  await assert.rejects(enter("good"), { reason: "UNAVAILABLE" });
});

test("the gateway signs in with its id and secret, encoded as the protocol has it", async (t) => {
  const { answers, headers, enter } = await scripted(t, { clientId: "a b", clientSecret: "c:d" });
  answers["good"] = ALICE;
  await enter("good");
  assert.deepEqual(headers, [`Basic ${Buffer.from("a+b:c%3Ad").toString("base64")}`]);
});
