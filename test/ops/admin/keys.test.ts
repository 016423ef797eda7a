import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { ApiKeyRequest } from "../../../src/core/ports/api-key-store.ts";
import { errorIn, startAdmin } from "../support/admin-client.ts";
import { MADE_KEY, scriptedPorts, T0 } from "../support/scripted-ports.ts";

test("every key is listed, without its hash", async (t) => {
  const { call } = await startAdmin(t);
  const { body, text } = await call("GET", "/admin/keys");
  assert.deepEqual(body, {
    keys: [
      {
        id: "key-1",
        principal: { id: "billing", tenant: "acme" },
        scopes: ["send"],
        createdAt: "2026-01-31T12:00:00.000Z",
        note: "of the build server",
        expiresAt: "2026-02-01T12:00:00.000Z",
        lastUsedAt: "2026-01-31T12:01:00.000Z",
      },
      {
        id: "key-2",
        principal: { id: "alice" },
        scopes: [],
        createdAt: "2026-01-31T12:00:00.000Z",
        revokedAt: "2026-01-31T12:00:01.000Z",
      },
    ],
  });
  assert.doesNotMatch(text, /hash|000000|111111/);
});

test("a key that is made is told once, and never to the log", async (t) => {
  const { call, log } = await startAdmin(t);
  const answer = await call("POST", "/admin/keys", { body: { principal: { id: "ci" } } });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body, {
    key: MADE_KEY,
    id: "key-3",
    principal: { id: "ci" },
    scopes: [],
    createdAt: "2026-01-31T12:00:00.000Z",
  });
  assert.doesNotMatch((await call("GET", "/admin/keys")).text, /a2agw_/);
  assert.doesNotMatch(JSON.stringify(log.lines), /a2agw_/);
  assert.deepEqual(
    log.lines.map(({ message, fields }) => [message, fields]),
    [["admin change", { operation: "createKey" }]],
  );
});

test("a key is asked for with its principal, scopes, note and end", async (t) => {
  const asked: ApiKeyRequest[] = [];
  const { keys } = scriptedPorts();
  const issue: typeof keys.issue = (request) => {
    asked.push(request);
    return keys.issue(request);
  };
  const { call } = await startAdmin(t, { keys: { ...keys, issue } });
  const make = (body: object) => call("POST", "/admin/keys", { body });
  const principal = { id: "ci", tenant: "acme" };
  await make({ principal, scopes: ["send", "read"], note: "n", expiresIn: 60 });
  await make({ principal: { id: "ci" }, expiresAt: "2026-01-31T13:00:00+01:00" });
  assert.deepEqual(asked, [
    { principal, scopes: ["send", "read"], note: "n", expiry: { in: 60_000 } },
    { principal: { id: "ci", tenant: "" }, scopes: [], note: undefined, expiry: { at: T0 } },
  ]);
});

test("everything that is wrong with what is asked for is named at once", async (t) => {
  const { call } = await startAdmin(t);
  const problemsOf = async (body: unknown): Promise<readonly string[]> => {
    const answer = await call("POST", "/admin/keys", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    return errorIn(answer).problems?.map(({ path, what }) => `${path} ${what}`) ?? [];
  };
  assert.deepEqual(await problemsOf({}), ["principal is missing"]);
  assert.deepEqual(await problemsOf(""), ["body is missing"]);
  assert.deepEqual(
    await problemsOf({
      principal: { tenant: 1, name: "x" },
      scopes: ["a", null],
      expiresIn: 0,
      expiresAt: 1,
      note: [],
      hash: "0",
    }),
    [
      "principal.tenant must be of type string",
      "principal.name is not known here",
      "principal.id is missing",
      "scopes[1] must be of type string",
      "expiresIn must be a whole number from 1 to 3153600000",
      "expiresAt must be of type string",
      "note must be of type string",
      "hash is not known here",
    ],
  );
  assert.deepEqual(await problemsOf({ principal: [], scopes: {} }), [
    "principal must be of type object",
    "scopes must be of type array",
  ]);
  const principal = { id: "ci" };
  assert.deepEqual(await problemsOf({ principal, scopes: Array<string>(101).fill("s") }), [
    "scopes must have at most 100 items",
  ]);
  assert.deepEqual(await problemsOf({ principal, expiresAt: "tomorrow" }), [
    "expiresAt must be an instant such as 2026-01-31T12:00:00Z",
  ]);
  assert.deepEqual(
    await problemsOf({ principal, expiresAt: "2026-01-31T12:00:00Z", expiresIn: 1 }),
    ["expiresAt must not stand beside expiresIn"],
  );
});

test("what the gateway refuses of a key is told by its path", async (t) => {
  const { keys } = scriptedPorts();
  const violations = [{ field: "principal.id", description: "expected printable text" }];
  const issue = async (): Promise<never> => {
    throw new A2AError("INVALID_PARAMS", "wrong", { violations });
  };
  const { call } = await startAdmin(t, { keys: { ...keys, issue } });
  const answer = await call("POST", "/admin/keys", { body: { principal: { id: "\n" } } });
  assert.equal(answer.status, 400);
  assert.deepEqual(errorIn(answer).problems, [
    { path: "principal.id", what: "expected printable text" },
  ]);
});

test("no key is made where none would open anything", async (t) => {
  const unusable = "nobody is asked for an api key: access.mode is off";
  const { call } = await startAdmin(t, { keys: { ...scriptedPorts().keys, unusable } });
  const answer = await call("POST", "/admin/keys", { body: { principal: { id: "ci" } } });
  assert.equal(answer.status, 409);
  assert.deepEqual(errorIn(answer), { code: "CONFLICT", message: unusable });
  assert.equal((await call("GET", "/admin/keys")).status, 200);
});

test("a key is ended as often as one likes, an unknown one never", async (t) => {
  const { call } = await startAdmin(t);
  for (let i = 0; i < 2; i++) assert.equal((await call("DELETE", "/admin/keys/key-1")).status, 204);
  const answer = await call("DELETE", "/admin/keys/other");
  assert.equal(answer.status, 404);
  assert.deepEqual(errorIn(answer), { code: "NOT_FOUND", message: 'no api key "other"' });
});
