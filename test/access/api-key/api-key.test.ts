import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { issueKey } from "../../../src/access/api-key/issue.ts";
import { hashOfKey, isDamaged, newKey } from "../../../src/access/api-key/key.ts";
import type { ApiKeySettings } from "../../../src/access/settings.ts";
import { accessBy, refusalOf, request } from "../support/access.ts";
import { directoryWith } from "../support/directory.ts";
import { MemoryKeyStore } from "../support/key-store.ts";

const KEY = "a static key, long enough to be one";
const ALICE = { id: "alice", tenant: "acme", scopes: ["send", "read"] };
const HEADER: ApiKeySettings = {
  in: "header",
  name: "X-Api-Key",
  keys: [{ hash: createHash("sha256").update(KEY).digest("hex"), principal: ALICE }],
};

test("a key in its header is its principal", async () => {
  const access = await accessBy([{ apiKey: HEADER }]);
  const found = await access.authenticate(request({ headers: { "x-api-key": KEY } }));
  assert.deepEqual(found, {
    id: "alice",
    tenant: "acme",
    scopes: new Set(["send", "read"]),
    claims: {},
    method: "apiKey",
  });
});

test("a key in the query or a cookie is found by the name that is configured", async () => {
  const inQuery = await accessBy([{ apiKey: { ...HEADER, in: "query", name: "key" } }]);
  const query = new URLSearchParams({ key: KEY });
  assert.equal((await inQuery.authenticate(request({ query }))).id, "alice");
  const elsewhere = request({ query: new URLSearchParams({ Key: KEY }), headers: { key: KEY } });
  assert.equal((await refusalOf(inQuery, elsewhere)).message, "credentials are needed");

  const inCookie = await accessBy([{ apiKey: { ...HEADER, in: "cookie", name: "key" } }]);
  const headers = { cookie: `other=1; key=${KEY}` };
  assert.equal((await inCookie.authenticate(request({ headers }))).id, "alice");
});

test("a key that is wrong, empty, or sent twice is refused, even where credentials are optional", async () => {
  const access = await accessBy([{ apiKey: HEADER }], { mode: "optional" });
  const hash = hashOfKey(KEY);
  for (const key of ["", "wrong", `${KEY}x`, `${KEY}, ${KEY}`, hash, "constructor", newKey()]) {
    const refusal = await refusalOf(access, request({ headers: { "x-api-key": key } }));
    assert.equal(refusal.reason, "UNAUTHENTICATED", key);
    assert.equal(refusal.message, "the api key is not valid");
    assert.deepEqual(refusal.challenges, [
      'ApiKey realm="a2a-gateway", in="header", name="X-Api-Key"',
    ]);
  }
});

test("a key may be in a file", async (t) => {
  const baseDir = await directoryWith(t, { "key.txt": `${KEY}\n` });
  const keys = [{ file: "key.txt", principal: { id: "bob" } }];
  const access = await accessBy([{ apiKey: { ...HEADER, keys } }], { baseDir });
  const found = await access.authenticate(request({ headers: { "x-api-key": KEY } }));
  assert.equal(found.id, "bob");
});

test("keys that cannot be used are refused with the place where they stand", async (t) => {
  const baseDir = await directoryWith(t, { "short.txt": "short" });
  const open = (keys: ApiKeySettings["keys"]) =>
    accessBy([{ apiKey: { ...HEADER, ...(keys && { keys }) } }], { baseDir });
  const hash = hashOfKey(KEY);
  const at = "authenticators[0].apiKey.keys";
  const cases: readonly (readonly [ApiKeySettings["keys"], string])[] = [
    [[{ hash: "12", principal: ALICE }], `${at}[0].hash`],
    [[{ file: "missing.txt", principal: ALICE }], `${at}[0].file`],
    [[{ file: "short.txt", principal: ALICE }], `${at}[0].file`],
    [[{ hash, principal: { id: "" } }], `${at}[0].principal.id`],
    [[{ hash, principal: { id: "a", tenant: "\n" } }], `${at}[0].principal.tenant`],
    [
      [
        { hash, principal: ALICE },
        { hash: hash.toUpperCase(), principal: ALICE },
      ],
      `${at}[1]`,
    ],
  ];
  for (const [keys, path] of cases) await assert.rejects(open(keys), { path });
});

test("a key of our own making is recognised, and a damaged one is not looked up", () => {
  const key = newKey();
  assert.match(key, /^a2agw_[\w-]{49}$/);
  assert.notEqual(newKey(), key);
  assert.equal(isDamaged(key), false);
  assert.equal(isDamaged("somebody else's"), false);
  for (const damaged of [key.slice(0, -1), `${key}x`, key.replace(/(?<=_)./, "="), "a2agw_"])
    assert.equal(isDamaged(damaged), true, damaged);
});

test("a key that was made at run time opens until it expires or is revoked", async () => {
  const store = new MemoryKeyStore();
  const access = await accessBy([{ apiKey: HEADER }], { apiKeys: store });
  const { clock } = access;
  const principal = { id: "carol", tenant: "" };
  const issue = (expiresAt: number | undefined) =>
    issueKey({ principal, scopes: ["read"], note: undefined, expiresAt }, { store, clock });
  const lasting = await issue(undefined);
  const passing = await issue(clock.time + 1000);
  const enter = (key: string) => access.authenticate(request({ headers: { "x-api-key": key } }));

  assert.deepEqual(await enter(lasting.key), {
    ...principal,
    scopes: new Set(["read"]),
    claims: {},
    method: "apiKey",
  });
  assert.equal((await enter(passing.key)).id, "carol");
  clock.time += 1000;
  await assert.rejects(enter(passing.key), { reason: "UNAUTHENTICATED" });
  assert.equal(await store.revoke(lasting.record.id, clock.time), true);
  await assert.rejects(enter(lasting.key), { reason: "UNAUTHENTICATED" });
  assert.equal((await enter(KEY)).id, "alice");
});

test("of a key that was made only the hash is kept", async () => {
  const store = new MemoryKeyStore();
  const { clock } = await accessBy([{ apiKey: HEADER }]);
  const principal = { id: "carol", tenant: "" };
  const { key, record } = await issueKey(
    { principal, scopes: [], note: undefined, expiresAt: undefined },
    { store, clock },
  );
  assert.ok(!JSON.stringify(await store.list()).includes(key.slice(6, 20)));
  assert.equal(record.hash, createHash("sha256").update(key).digest("hex"));
  assert.equal(record.createdAt, clock.time);
});

test("the last use of a key is noted once a minute, and a failure to do so keeps nobody out", async () => {
  class ForgetfulStore extends MemoryKeyStore {
    fails = false;
    readonly noted: number[] = [];

    override async used(id: string, at: number): Promise<void> {
      if (this.fails) throw new Error("disk full");
      this.noted.push(at);
      await super.used(id, at);
    }
  }
  const store = new ForgetfulStore();
  const access = await accessBy([{ apiKey: HEADER }], { apiKeys: store });
  const { clock, log } = access;
  const principal = { id: "carol", tenant: "" };
  const { key } = await issueKey(
    { principal, scopes: [], note: undefined, expiresAt: undefined },
    { store, clock },
  );
  const enter = () => access.authenticate(request({ headers: { "x-api-key": key } }));
  const first = clock.time;
  await enter();
  await enter();
  clock.time += 60_000;
  await enter();
  assert.deepEqual(store.noted, [first, clock.time]);
  store.fails = true;
  clock.time += 60_000;
  assert.equal((await enter()).id, "carol");
  await log.until(({ message }) => message === "use of an api key not noted");
});

test("wrong keys close the door to their address, but not to keys that came from there before", async () => {
  const access = await accessBy([{ apiKey: HEADER }]);
  const enter = (key: string) => access.authenticate(request({ headers: { "x-api-key": key } }));
  await enter(KEY);
  for (let i = 0; i < 60; i++) await enter(`wrong ${i}`).catch(() => {});
  await assert.rejects(enter("wrong"), { reason: "RATE_LIMITED" });
  assert.equal((await enter(KEY)).id, "alice");
});
