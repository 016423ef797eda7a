/** Callers of the agents at the Admin API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdminCredentials } from "../../../src/ops/admin/ports.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { UNASKED, type Principal } from "../../../src/protocol/principal.ts";
import { errorIn, startAdmin } from "../support/admin-client.ts";

const OPERATOR: Principal = {
  ...UNASKED,
  id: "ann",
  tenant: "acme",
  scopes: new Set(["send", "admin"]),
  method: "apiKey",
};

const PEOPLE: Readonly<Record<string, Principal>> = {
  operator: OPERATOR,
  caller: { ...OPERATOR, scopes: new Set(["send", "administrator"]) },
};

const CHALLENGES = ['ApiKey in="header"', 'Basic realm="x"'];

/** Who callers are is in the header x-key; whoever has none is anonymous. */
function callers(asked: AdminCredentials[] = []) {
  return {
    scope: "admin",
    async authenticate(credentials: AdminCredentials): Promise<Principal> {
      asked.push(credentials);
      const key = credentials.headers["x-key"] ?? credentials.query.get("key");
      if (key === undefined || key === null) return { ...UNASKED, method: "anonymous" };
      if (key === "late") throw new A2AError("RATE_LIMITED", "too many", { retryAfter: 2 });
      const found = PEOPLE[key];
      if (found) return found;
      throw new A2AError("UNAUTHENTICATED", "the api key is not valid", { challenges: CHALLENGES });
    },
  };
}

for (const [token, isLoopback] of [
  [undefined, true],
  [undefined, false],
  ["secret", true],
  ["secret", false],
] as const)
  test(`a caller with the scope is let in, ${token ? "with" : "without"} a token, loopback ${isLoopback}`, async (t) => {
    const access = { token, isLoopback, callers: callers() };
    const { call } = await startAdmin(t, { access });
    const statusFor = async (headers: Readonly<Record<string, string>>) =>
      (await call("GET", "/admin/agents", { headers: { host: "ops.example", ...headers } })).status;
    assert.equal(await statusFor({ "x-key": "operator" }), 200);
    assert.equal(await statusFor({ "x-key": "caller" }), 403);
    assert.equal(await statusFor({ "x-key": "wrong" }), 401);
    assert.equal(await statusFor({}), 401, "anonymous");
    assert.equal(await statusFor({ authorization: "Bearer secret" }), token ? 200 : 401);
  });

test("a refusal says what is missing, and how to be let in", async (t) => {
  const access = { token: undefined, isLoopback: true, callers: callers() };
  const { call } = await startAdmin(t, { access });
  const answerTo = (key: string) => call("GET", "/admin/agents", { headers: { "x-key": key } });
  const wrong = await answerTo("wrong");
  assert.equal(wrong.headers["www-authenticate"], CHALLENGES.join(", "));
  assert.equal(errorIn(wrong).message, "the api key is not valid");
  assert.deepEqual(errorIn(await answerTo("caller")), {
    code: "FORBIDDEN",
    message: 'the scope "admin" is needed',
  });
  const late = await answerTo("late");
  assert.deepEqual([late.status, late.headers["retry-after"]], [429, "2"]);
});

test("a key in the query is not looked at", async (t) => {
  const asked: AdminCredentials[] = [];
  const access = { token: undefined, isLoopback: true, callers: callers(asked) };
  const { call } = await startAdmin(t, { access });
  assert.equal((await call("GET", "/admin/agents?key=operator")).status, 401);
  assert.deepEqual(
    asked.map(({ address, certificate }) => [address, certificate]),
    [["127.0.0.1", undefined]],
  );
});

test("a page of another site cannot use what a browser sends by itself", async (t) => {
  const asked: AdminCredentials[] = [];
  const access = { token: "secret", isLoopback: false, callers: callers(asked) };
  const { call } = await startAdmin(t, { access });
  const host = "ops.example:9090";
  const statusFor = async (headers: Readonly<Record<string, string>>) =>
    (await call("POST", "/admin/reload", { headers: { host, "x-key": "operator", ...headers } }))
      .status;
  for (const headers of [
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: "" },
    { origin: "ftp://ops.example:9090" },
    { origin: "http://ops.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ])
    assert.equal(await statusFor(headers), 403, JSON.stringify(headers));
  assert.equal(asked.length, 0);
  for (const headers of [
    {},
    { origin: `https://${host}`, "sec-fetch-site": "same-origin" },
    { origin: `http://${host}` },
    { "sec-fetch-site": "none" },
  ])
    assert.equal(await statusFor(headers), 200, JSON.stringify(headers));
});

test("the log says which caller made a change", async (t) => {
  const access = { token: "secret", isLoopback: true, callers: callers() };
  const { call, log } = await startAdmin(t, { access });
  await call("DELETE", "/admin/keys/key-1", { headers: { "x-key": "operator" } });
  await call("DELETE", "/admin/keys/key-1", { headers: { authorization: "Bearer secret" } });
  const changes = log.lines.filter(({ message }) => message === "admin change");
  assert.deepEqual(
    changes.map(({ fields }) => fields),
    [
      { operation: "revokeKey", caller: { id: "ann", tenant: "acme" }, id: "key-1" },
      { operation: "revokeKey", id: "key-1" },
    ],
  );
});
