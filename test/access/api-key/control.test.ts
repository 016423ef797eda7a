/** What operators do with the keys that are made at run time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiKeyControl } from "../../../src/access/api-key/control.ts";
import type { AccessSettings } from "../../../src/access/settings.ts";
import type { ApiKeyRequest } from "../../../src/core/ports/api-key-store.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { HandClock } from "../support/access.ts";
import { MemoryKeyStore } from "../support/key-store.ts";

const SETTINGS: AccessSettings = {
  mode: "required",
  authenticators: [{ apiKey: { in: "header", name: "X-Api-Key" } }],
};

const REQUEST: ApiKeyRequest = {
  principal: { id: "ci", tenant: "acme" },
  scopes: ["send", "read", "send"],
  note: "of the build server",
  expiry: undefined,
};

function controlWith(settings: AccessSettings = SETTINGS) {
  const [store, clock, log] = [new MemoryKeyStore(), new HandClock(), new RecordedLog()];
  return { control: apiKeyControl(settings, { store, clock, log }), store, clock, log };
}

test("a key is made as it was asked for, each scope once", async () => {
  const { control, clock, store } = controlWith();
  const { record } = await control.issue(REQUEST);
  assert.deepEqual(record, {
    id: "id-1",
    hash: record.hash,
    principal: REQUEST.principal,
    scopes: ["send", "read"],
    note: REQUEST.note,
    createdAt: clock.time,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
  });
  assert.deepEqual(await store.list(), [record]);
});

test("a key ends at an instant, or so long after it was made", async () => {
  const { control, clock } = controlWith();
  const { time } = clock;
  const endOf = async (expiry: ApiKeyRequest["expiry"]) =>
    (await control.issue({ ...REQUEST, expiry })).record.expiresAt;
  assert.equal(await endOf({ at: time + 1 }), time + 1);
  assert.equal(await endOf({ in: 5000 }), time + 5000);
});

test("the log tells of a key that is made, and not the key", async () => {
  const { control, log } = controlWith();
  const { key, record } = await control.issue(REQUEST);
  const { principal, scopes } = record;
  assert.deepEqual(log.lines, [
    {
      level: "info",
      message: "api key made",
      fields: { key: "id-1", principal, scopes, expiresAt: undefined },
    },
  ]);
  const told = JSON.stringify(log.lines);
  assert.ok(!told.includes(key.slice(6)) && !told.includes(record.hash));
});

test("what nobody can have or be is refused, every member by its path", async () => {
  const { control, clock, store } = controlWith();
  const request: ApiKeyRequest = {
    principal: { id: " ", tenant: "\n" },
    scopes: ["send", "", "x".repeat(257)],
    note: "\u0007",
    expiry: { at: clock.time },
  };
  await assert.rejects(control.issue(request), (thrown: { violations: { field: string }[] }) => {
    assert.deepEqual(
      thrown.violations.map(({ field }) => field),
      ["principal.id", "principal.tenant", "scopes[1]", "scopes[2]", "note", "expiresAt"],
    );
    return true;
  });
  assert.deepEqual(await store.list(), []);
});

test("a key is revoked now, and stays revoked from then on", async () => {
  const { control, clock } = controlWith();
  const { record } = await control.issue(REQUEST);
  const first = ++clock.time;
  assert.equal(await control.revoke(record.id), true);
  clock.time++;
  assert.equal(await control.revoke(record.id), true);
  assert.equal(await control.revoke("other"), false);
  assert.deepEqual(await control.list(), [{ ...record, revokedAt: first }]);
});

test("keys are of no use where nobody is asked for one", () => {
  const unusableWith = (changes: Partial<AccessSettings>) =>
    controlWith({ ...SETTINGS, ...changes }).control.unusable;
  assert.equal(unusableWith({}), undefined);
  assert.match(unusableWith({ mode: "off" }) ?? "", /access\.mode is off/);
  assert.match(unusableWith({ authenticators: [] }) ?? "", /has no apiKey/);
});
