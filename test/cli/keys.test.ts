import assert from "node:assert/strict";
import { test } from "node:test";
import { adminApi } from "./admin-api.ts";
import { command } from "./command.ts";

const KEY = {
  id: "key-1",
  principal: { id: "billing", tenant: "acme" },
  scopes: ["send", "read"],
  createdAt: "2026-01-31T12:00:00.000Z",
  expiresAt: "2999-01-31T12:00:00.000Z",
  lastUsedAt: "2026-01-31T12:01:00.000Z",
  note: "build\u001b[2J",
};
const BARE = { id: "key-2", principal: { id: "ann" }, scopes: [], createdAt: KEY.createdAt };
const EXPIRED = { ...BARE, id: "key-3", expiresAt: KEY.createdAt };
const REVOKED = { ...EXPIRED, id: "key-4", revokedAt: KEY.createdAt };

test("keys list shows every key in a row", async (t) => {
  const body = { keys: [KEY, BARE, EXPIRED, REVOKED] };
  const api = await adminApi(t, { "GET /admin/keys": { body } });
  const { code, stdout, stderr } = await api.run(["keys", "list"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(
    stdout.split("\n").map((line) => line.split(/ {2,}/)),
    [
      ["ID", "PRINCIPAL", "STATE", "SCOPES", "CREATED", "EXPIRES", "USED", "NOTE"],
      [
        "key-1",
        "acme/billing",
        "active",
        "send, read",
        KEY.createdAt,
        KEY.expiresAt,
        KEY.lastUsedAt,
        "build\\x1b[2J",
      ],
      ["key-2", "ann", "active", "-", KEY.createdAt, "-", "-", "-"],
      ["key-3", "ann", "expired", "-", KEY.createdAt, KEY.createdAt, "-", "-"],
      ["key-4", "ann", "revoked", "-", KEY.createdAt, KEY.createdAt, "-", "-"],
      [""],
    ],
  );
});

const CREATE = "POST /admin/keys";

test("keys create asks for a key as it is told and shows it", async (t) => {
  const body = { key: "a2agw_x", ...KEY };
  const api = await adminApi(t, { [CREATE]: { status: 201, body } });
  const { stdout, stderr } = await api.run(
    "keys create billing --tenant acme --scope send --scope read --expires-in 1.5h --note build".split(
      " ",
    ),
  );
  assert.equal(stderr, "");
  assert.deepEqual(stdout.split("\n"), [
    "id         key-1",
    "principal  acme/billing",
    "scopes     send, read",
    "expires    2999-01-31T12:00:00.000Z",
    "note       build\\x1b[2J",
    "key        a2agw_x",
    "",
  ]);
  assert.deepEqual(api.asked[0]?.body, {
    principal: { id: "billing", tenant: "acme" },
    scopes: ["send", "read"],
    expiresIn: 5400,
    note: "build",
  });
});

test("keys create asks for no more than it is told", async (t) => {
  const api = await adminApi(t, { [CREATE]: { status: 201, body: { key: "a2agw_x", ...BARE } } });
  const { stdout } = await api.run(["keys", "create", "ann", "--json"]);
  assert.deepEqual(JSON.parse(stdout), { key: "a2agw_x", ...BARE });
  assert.deepEqual(api.asked[0]?.body, { principal: { id: "ann" } });
});

test("keys create names the option that the gateway finds something wrong with", async (t) => {
  const problems = [
    { path: "principal.id", what: "expected printable text" },
    { path: "scopes[1]", what: "expected text that is not empty" },
    { path: "expiresAt", what: "expected a later one" },
  ];
  const error = { code: "INVALID_PARAMS", message: "wrong", problems };
  const api = await adminApi(t, { [CREATE]: { status: 400, body: { error } } });
  const { code, stderr } = await api.run(["keys", "create", "ann", "--expires-at", "2020"]);
  assert.equal(code, 1);
  assert.deepEqual(stderr.split("\n"), [
    "principal: expected printable text",
    "--scope: expected text that is not empty",
    "--expires-at: expected a later one",
    "",
  ]);
});

test("keys create takes only durations that are some", async () => {
  for (const duration of ["0", "soon", "-1d"]) {
    const { code, stderr } = await command(["keys", "create", "ann", `--expires-in=${duration}`]);
    assert.equal(code, 2, duration);
    assert.match(stderr, /expected a duration such as 90d/);
  }
});

test("keys revoke says what it did", async (t) => {
  const api = await adminApi(t, { "DELETE /admin/keys/key-1": { status: 204 } });
  const { code, stdout } = await api.run(["keys", "revoke", "key-1"]);
  assert.deepEqual([code, stdout], [0, "revoked key-1\n"]);
});

test("keys revoke tells of a key that is not there", async (t) => {
  const api = await adminApi(t, {});
  const { code, stderr } = await api.run(["keys", "revoke", "key-1"]);
  assert.deepEqual([code, stderr], [1, "error: NOT_FOUND: no such path\n"]);
});
