import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hashPassword,
  isPassword,
  passwordHashOf,
} from "../../../src/access/basic/password-hash.ts";
import { Turns } from "../../../src/access/basic/turns.ts";
import type { UserSettings } from "../../../src/access/settings.ts";
import { accessBy, basic, refusalOf, request } from "../support/access.ts";
import { cheapHash } from "../support/passwords.ts";

const ALICE: UserSettings = {
  username: "alice",
  hash: cheapHash("pass:wörd"),
  principal: { id: "a-1", tenant: "acme", scopes: ["send"] },
};
const BOB: UserSettings = { username: "bob", hash: cheapHash("bob's") };
const USERS = [{ basic: { users: [ALICE, BOB] } }];

test("a user with the right password is the principal that is configured, else one of the user's name", async () => {
  const access = await accessBy(USERS);
  const alice = await access.authenticate(basic("alice", "pass:wörd"));
  assert.deepEqual(alice, {
    id: "a-1",
    tenant: "acme",
    scopes: new Set(["send"]),
    claims: {},
    method: "basic",
  });
  const bob = await access.authenticate(basic("bob", "bob's"));
  assert.deepEqual([bob.id, bob.tenant], ["bob", ""]);
});

test("a wrong password, an unknown user and what cannot be read are refused alike", async () => {
  const access = await accessBy(USERS, { mode: "optional" });
  const challenges = ['Basic realm="a2a-gateway", charset="UTF-8"'];
  const wrong = [
    basic("alice", "wrong"),
    basic("nobody", "pass:wörd"),
    basic("", ""),
    basic("Bob", "bob's"),
  ];
  for (const credentials of wrong)
    assert.deepEqual(await refusalOf(access, credentials), {
      reason: "UNAUTHENTICATED",
      message: "the user name or the password is wrong",
      challenges,
      retryAfter: undefined,
    });
  for (const given of ["", "%%", "YWxpY2U=", Buffer.from([0xff, 0x3a]).toString("base64")]) {
    const headers = { authorization: `Basic ${given}` };
    const refusal = await refusalOf(access, request({ headers }));
    assert.deepEqual([refusal.reason, refusal.challenges], ["UNAUTHENTICATED", challenges]);
  }
});

test("a password that was right once is not right for another user, nor a wrong one later", async () => {
  const access = await accessBy(USERS);
  await access.authenticate(basic("alice", "pass:wörd"));
  await access.authenticate(basic("alice", "pass:wörd"));
  await assert.rejects(access.authenticate(basic("bob", "pass:wörd")), {
    reason: "UNAUTHENTICATED",
  });
  await assert.rejects(access.authenticate(basic("alice", "wrong")), { reason: "UNAUTHENTICATED" });
  access.clock.time += 5 * 60_000;
  assert.equal((await access.authenticate(basic("alice", "pass:wörd"))).id, "a-1");
});

test("whoever guesses has to wait, with the right password too, and others have not", async () => {
  const access = await accessBy(USERS);
  for (let i = 0; i < 6; i++)
    await assert.rejects(access.authenticate(basic("alice", `guess ${i}`)));
  for (const password of ["another", "pass:wörd"]) {
    const refusal = await refusalOf(access, basic("alice", password));
    assert.deepEqual([refusal.reason, refusal.retryAfter], ["RATE_LIMITED", 1]);
  }
  assert.equal((await access.authenticate(basic("bob", "bob's"))).id, "bob");
  assert.equal((await access.authenticate(basic("alice", "pass:wörd", "192.0.2.2"))).id, "a-1");
  access.clock.time += 1000;
  assert.equal((await access.authenticate(basic("alice", "pass:wörd"))).id, "a-1");
});

test("guesses that are sent all at once get no further than those one after another", async () => {
  const access = await accessBy(USERS);
  const guesses = Array.from({ length: 40 }, (_, i) => basic("alice", `guess ${i}`));
  const refusals = await Promise.all(guesses.map((guess) => refusalOf(access, guess)));
  const compared = refusals.filter(({ reason }) => reason === "UNAUTHENTICATED");
  assert.ok(compared.length <= 7, `${compared.length} were compared`);
});

test("many requests with one right password are all let in", async () => {
  const access = await accessBy(USERS);
  const requests = Array.from({ length: 200 }, () =>
    access.authenticate(basic("alice", "pass:wörd")),
  );
  for (const { id } of await Promise.all(requests)) assert.equal(id, "a-1");
});

test("work that is done by few at a time keeps some waiting and sends the others away", async () => {
  const turns = new Turns();
  let running = 0;
  let most = 0;
  const open: (() => void)[] = [];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => open.push(resolve));
    running--;
  };
  const taken = Array.from({ length: 66 }, () => turns.take(work));
  await assert.rejects(turns.take(work), { reason: "UNAVAILABLE" });
  const all = Promise.all(taken);
  let isDone = false;
  void all.then(() => (isDone = true));
  while (!isDone) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  assert.equal(most, 2);
  const failing = turns.take(() => Promise.reject(new Error("no")));
  await assert.rejects(failing, /no/);
  assert.equal(await turns.take(async () => 1), 1);
});

test("a password hash holds its salt and costs, and only its own password fits", async () => {
  const text = await hashPassword("Grüße");
  assert.match(text, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/);
  const hash = passwordHashOf(text) ?? assert.fail("is readable");
  assert.equal(await isPassword("Grüße".normalize("NFD"), hash), true);
  assert.equal(await isPassword("Grusse", hash), false);
});

test("a hash that is another kind, or asks for too much or too little, is none", () => {
  const salt = "AAAAAAAAAAAAAAAAAAAAAA";
  const hash = "A".repeat(43);
  const of = (cost: string) => passwordHashOf(`$scrypt$${cost}$${salt}$${hash}`);
  assert.notEqual(of("ln=10,r=8,p=1"), undefined);
  for (const cost of ["ln=9,r=8,p=1", "ln=31,r=8,p=1", "ln=10,r=0,p=1", "ln=10,r=8,p=17", "ln=10"])
    assert.equal(of(cost), undefined, cost);
  for (const text of ["", "secret", "$2b$10$abc", `$scrypt$ln=10,r=8,p=1$${salt}$`])
    assert.equal(passwordHashOf(text), undefined, text);
});

test("users that cannot log in are refused with the place where they stand", async () => {
  const at = "authenticators[0].basic.users";
  const cases: readonly (readonly [readonly UserSettings[], string])[] = [
    [[{ ...BOB, username: "a:b" }], `${at}[0].username`],
    [[{ ...BOB, username: "" }], `${at}[0].username`],
    [[BOB, BOB], `${at}[1].username`],
    [[{ ...BOB, hash: "bob's" }], `${at}[0].hash`],
    [[{ ...BOB, principal: { id: " " } }], `${at}[0].principal.id`],
  ];
  for (const [users, path] of cases)
    await assert.rejects(accessBy([{ basic: { users } }]), { path });
});
