import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { adminAt, adminPath } from "../../src/cli/admin/client.ts";
import { CommandError, EXIT } from "../../src/cli/exit.ts";
import { adminApi } from "./admin-api.ts";

const LIST = { verb: "GET", path: adminPath("agents") } as const;

test("a request carries its query, its body as JSON, and the headers", async (t) => {
  const api = await adminApi(t, {
    "PUT /admin/agents/a?x=1&y=": { status: 201, body: { id: "a" } },
  });
  const admin = adminAt({ url: api.url, headers: { authorization: "Bearer s" } });
  const answer = await admin({
    verb: "PUT",
    path: adminPath("agents", "a"),
    query: { x: 1, y: "", z: undefined },
    body: { name: "A" },
  });
  assert.deepEqual(answer, { status: 201, json: { id: "a" } });
  const [asked] = api.asked;
  assert.equal(asked?.headers.authorization, "Bearer s");
  assert.equal(asked?.headers["content-type"], "application/json");
  assert.deepEqual(asked?.body, { name: "A" });
});

test("a request without a body declares none", async (t) => {
  const api = await adminApi(t, { "POST /admin/reload": { body: {} } });
  await adminAt({ url: api.url, headers: {} })({ verb: "POST", path: adminPath("reload") });
  assert.equal(api.asked[0]?.headers["content-type"], undefined);
});

test("an empty answer is a good one", async (t) => {
  const api = await adminApi(t, { "DELETE /admin/agents/a": { status: 204 } });
  const admin = adminAt({ url: api.url, headers: {} });
  const answer = await admin({ verb: "DELETE", path: adminPath("agents", "a") });
  assert.deepEqual(answer, { status: 204, json: undefined });
});

test("ids are encoded, and those that would be steps in a path are refused", () => {
  assert.equal(adminPath("tasks", "a/b?c#d %é"), "/admin/tasks/a%2Fb%3Fc%23d%20%25%C3%A9");
  for (const id of ["", ".", ".."])
    assert.throws(
      () => adminPath("tasks", id),
      (thrown) => thrown instanceof CommandError && thrown.exitCode === EXIT.usage,
    );
});

test("a refusal is told with its code and message", async (t) => {
  const api = await adminApi(t, {
    "GET /admin/agents": { status: 409, body: { error: { code: "CONFLICT", message: "no" } } },
  });
  await assert.rejects(adminAt({ url: api.url, headers: {} })(LIST), {
    name: "RemoteError",
    code: 409,
    reason: "CONFLICT",
    message: "no",
  });
});

test("every problem is told on a line of its own, without what acts on a terminal", async (t) => {
  const problems = [
    { path: "upstream.url", what: "missing\u001b[2J\nx" },
    { path: "", what: "expected a mapping" },
  ];
  const error = { code: "INVALID_PARAMS", message: "two things", problems };
  const api = await adminApi(t, { "GET /admin/agents": { status: 400, body: { error } } });
  await assert.rejects(adminAt({ url: api.url, headers: {} })(LIST), {
    name: "CommandError",
    message: "upstream.url: missing\\x1b[2J\\nx\nexpected a mapping",
  });
});

const STRANGERS: readonly (readonly [string, number, unknown])[] = [
  ["a page", 200, "<html>"],
  ["a page that says no", 404, "<html>"],
  ["an error of another shape", 404, { error: "no such path" }],
  ["nothing at all", 500, undefined],
];

for (const [title, status, body] of STRANGERS)
  test(`${title} is no admin API`, async (t) => {
    const api = await adminApi(t, { "GET /admin/agents": { status, body } });
    await assert.rejects(adminAt({ url: api.url, headers: {} })(LIST), {
      message: `no admin API at ${api.url}: HTTP ${status}`,
    });
  });

test("a redirect is not followed: the token is for this address alone", async (t) => {
  const other = await adminApi(t, { "GET /admin/agents": { body: { agents: [] } } });
  const headers = { location: `${other.url}/admin/agents` };
  const api = await adminApi(t, { "GET /admin/agents": { status: 307, headers } });
  await assert.rejects(adminAt({ url: api.url, headers: {} })(LIST), /no admin API at .*HTTP 307/);
  assert.deepEqual(other.asked, []);
});

test("whoever does not answer in time is told by the address", async (t) => {
  const server = createServer();
  const url = await urlOf(server);
  t.after(() => server.close());
  await assert.rejects(adminAt({ url, headers: {}, timeoutMs: 50 })(LIST), {
    message: `no answer from ${url}/admin/agents: it took too long (--timeout)`,
  });
});

test("whoever is not there is told by the reason", async () => {
  const server = createServer();
  const url = await urlOf(server);
  server.close();
  await assert.rejects(adminAt({ url, headers: {} })(LIST), {
    name: "RemoteError",
    message: /^no answer from .*: .*ECONNREFUSED/,
  });
});

async function urlOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
