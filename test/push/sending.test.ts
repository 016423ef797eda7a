import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { deferred } from "../../src/core/deferred.ts";
import { openAddressGuard } from "../../src/push/address-guard.ts";
import { startSending, type SendingParts } from "../../src/push/sending.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { MemoryOutbox } from "./support/outbox.ts";
import { configOf, readNotice, SETTINGS } from "./support/parts.ts";
import {
  hang,
  respondWith,
  startReceiver,
  type Received,
  type Respond,
} from "./support/receiver.ts";

/** Waits between tries that a test does not notice. */
const QUICK = { ...SETTINGS, backoff: { first: 1, most: 5, retryAfter: 5 } };

function started(context: TestContext, parts: Partial<SendingParts> = {}) {
  const outbox = new MemoryOutbox();
  const log = new RecordedLog();
  const settings = parts.settings ?? QUICK;
  const webhooks = startSending({
    outbox,
    read: readNotice,
    settings,
    guard: openAddressGuard(settings),
    signer: undefined,
    ca: undefined,
    clock: { now: Date.now },
    random: () => 0,
    log,
    ...parts,
  });
  context.after(() => webhooks.stop(0));
  return { outbox, log, webhooks };
}

async function receiverFor(context: TestContext, respond?: Respond) {
  const receiver = await startReceiver(respond);
  context.after(() => receiver.close());
  return receiver;
}

/** The generation that the notice of a test names. */
function generationOf({ text }: Received): number {
  const { statusUpdate } = JSON.parse(text) as { statusUpdate: { contextId: string } };
  return Number(statusUpdate.contextId);
}

const kindsOf = ({ settled }: MemoryOutbox) => settled.map(({ outcome }) => outcome.kind);

test("what is due is sent in order, what comes up meanwhile too", async (context) => {
  const receiver = await receiverFor(context);
  const { outbox, webhooks } = started(context);
  const config = configOf(receiver.url);
  const generations = Array.from({ length: 100 }, (_, place) => place + 1);
  outbox.write(config, ...generations.slice(0, 70));
  await receiver.has(1);
  outbox.write(config, ...generations.slice(70));
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(receiver.received.map(generationOf), generations);
  assert.deepEqual(webhooks.counts(), { delivered: 100, failed: 0, dead: 0, gone: 0 });
});

test("what was due before the start is sent", async (context) => {
  const receiver = await receiverFor(context);
  const outbox = new MemoryOutbox();
  outbox.write(configOf(receiver.url), 1);
  started(context, { outbox });
  await receiver.has(1);
  await outbox.until(() => outbox.settled.length === 1);
});

test("what fails is tried again before what comes after it is sent", async (context) => {
  let times = 0;
  const receiver = await receiverFor(context, (response, received) =>
    respondWith(generationOf(received) === 2 && ++times < 3 ? 500 : 200)(response, received),
  );
  const { outbox, webhooks } = started(context);
  const config = configOf(receiver.url);
  outbox.write(config, 1, 2, 3);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(receiver.received.map(generationOf), [1, 2, 2, 2, 3]);
  const attempts = receiver.received.map(({ headers }) => headers["a2a-delivery-attempt"]);
  assert.deepEqual(attempts, ["1", "1", "2", "3", "1"]);
  assert.deepEqual(webhooks.counts(), { delivered: 3, failed: 2, dead: 0, gone: 0 });
});

test("what is given up is logged without secrets, and what comes after it is sent", async (context) => {
  const receiver = await receiverFor(context, (response, received) =>
    respondWith(generationOf(received) === 1 ? 500 : 200)(response, received),
  );
  const { outbox, log, webhooks } = started(context);
  const authentication = { scheme: "Bearer", credentials: "s3cret" };
  const config = configOf(`${receiver.url}?s3cret`, { token: "s3cret", authentication });
  outbox.write(config, 1, 2);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(kindsOf(outbox), ["retry", "retry", "dead", "delivered"]);
  assert.deepEqual(webhooks.counts(), { delivered: 1, failed: 2, dead: 1, gone: 0 });
  const [given] = await log.until(({ level }) => level === "warn");
  assert.equal(given?.message, "webhook given up");
  assert.equal(given?.fields["problem"], "HTTP 500; given up after 3 tries");
  assert(!JSON.stringify(log.lines).includes("s3cret"));
});

test("a receiver that is gone gets nothing more", async (context) => {
  const receiver = await receiverFor(context, respondWith(410));
  const { outbox, webhooks } = started(context);
  outbox.write(configOf(receiver.url), 1, 2, 3);
  await outbox.until(() => outbox.settled.length > 0);
  assert.deepEqual(kindsOf(outbox), ["gone"]);
  assert.deepEqual(webhooks.counts(), { delivered: 0, failed: 0, dead: 0, gone: 1 });
  assert.equal(receiver.received.length, 1);
});

test("an event that is no longer there is given up, and one that cannot be read is tried again", async (context) => {
  const receiver = await receiverFor(context);
  let failures = 2;
  const { outbox, log } = started(context, {
    read: (claim, generation) => {
      if (generation === 1) return Promise.resolve(undefined);
      if (generation === 2 && failures-- > 0) return Promise.reject(new Error("locked"));
      return readNotice(claim, generation);
    },
  });
  const config = configOf(receiver.url);
  outbox.write(config, 1, 2, 3);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(kindsOf(outbox), ["dead", "retry", "retry", "delivered", "delivered"]);
  assert.deepEqual(receiver.received.map(generationOf), [2, 3]);
  const lines = await log.until(({ message }) => message.startsWith("a delivery"), 2);
  assert.match(String(lines[0]?.fields["err"]), /locked/);
});

test("configs are told at the same time, each in its order", async (context) => {
  let open = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const receiver = await receiverFor(context, (response, received) => {
    most = Math.max(most, ++open);
    held.push(() => {
      open--;
      respondWith(200)(response, received);
    });
    // Nobody is answered until eight are waiting.
    if (held.length >= 8 || most >= 8) for (const answer of held.splice(0)) answer();
  });
  const { outbox } = started(context, { settings: { ...QUICK, concurrency: 32 } });
  const configs = Array.from({ length: 8 }, (_, place) =>
    configOf(receiver.url, { id: `c${place}` }),
  );
  for (const config of configs) outbox.write(config, 1, 2, 3);
  await outbox.until(() => configs.every((config) => outbox.due(config).length === 0));
  assert.equal(most, 8);
  for (const { id } of configs) {
    const own = receiver.received.filter(({ headers }) =>
      String(headers["a2a-delivery-id"]).endsWith(`.${id}`),
    );
    assert.deepEqual(own.map(generationOf), [1, 2, 3]);
  }
});

test("a host that hangs does not hold up the others, however much is due to it", async (context) => {
  const hung = await receiverFor(context, hang);
  const lively = await receiverFor(context);
  const { outbox } = started(context, { settings: { ...QUICK, concurrency: 8 } });
  for (let place = 0; place < 200; place++)
    outbox.write(configOf(hung.url, { id: `hung${place}` }), 1);
  const config = configOf(lively.url, { taskId: "t2" });
  outbox.write(config, 1, 2, 3);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(lively.received.map(generationOf), [1, 2, 3]);
  assert(hung.received.length <= 2, "a host has a quarter of the places");
});

/** A guard for which every name is one of this machine. */
const guardOfNames = () =>
  openAddressGuard(QUICK, () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]));

test("a receiver that has answered is told at once while a hundred hosts hang", async (context) => {
  const hung = await receiverFor(context, hang);
  const lively = await receiverFor(context);
  const settings = { ...QUICK, concurrency: 16, timeout: 120_000 };
  const { outbox } = started(context, { settings, guard: guardOfNames() });
  const config = configOf(lively.url, { id: "lively" });
  outbox.write(config, 1);
  await outbox.until(() => outbox.settled.length === 1);
  for (let place = 0; place < 100; place++)
    outbox.write(configOf(`http://h${place}.example:${hung.port}/`, { id: `hung${place}` }), 1);
  await hung.has(8);
  for (const generation of [2, 3, 4]) {
    outbox.write(config, generation);
    await outbox.until(() => outbox.due(config).length === 0);
  }
  assert.deepEqual(lively.received.map(generationOf), [1, 2, 3, 4]);
  assert.equal(hung.received.length, 8);
});

test("a claim leaves its place to others after a while, and goes on in its turn", async (context) => {
  let now = 0;
  const receiver = await receiverFor(context, (response, received) => {
    now += 600;
    respondWith(200)(response, received);
  });
  const outbox = new MemoryOutbox(() => now);
  const settings = { ...QUICK, concurrency: 1 };
  const [long, short] = ["long", "short"].map((id) => configOf(receiver.url, { id }));
  assert(long && short);
  outbox.write(long, 1, 2, 3, 4, 5);
  outbox.write(short, 6);
  started(context, { outbox, settings, clock: { now: () => now } });
  await outbox.until(() => outbox.settled.length === 6);
  assert.deepEqual(receiver.received.map(generationOf), [1, 2, 6, 3, 4, 5]);
});

test("what waits for a slow host is sent when its turn comes", async (context) => {
  const receiver = await receiverFor(context, (response, received) => {
    setTimeout(() => respondWith(200)(response, received), 100);
  });
  const { outbox } = started(context, { settings: { ...QUICK, concurrency: 4 } });
  const ids = Array.from({ length: 20 }, (_, place) => `c${place}`);
  for (const id of ids) outbox.write(configOf(receiver.url, { id }), 1);
  await outbox.until(() => outbox.settled.length === 20);
  // Nothing was let go to come back when its claim had run out.
  assert.deepEqual(outbox.taken, ids);
});

test("nothing is sent to a config once it is forgotten, though it was being told something", async (context) => {
  const receiver = await receiverFor(context, hang);
  const { outbox, webhooks } = started(context);
  const config = configOf(receiver.url);
  const other = configOf(receiver.url, { id: "c2" });
  outbox.write(config, 1, 2, 3);
  outbox.write(other, 1);
  await receiver.has(2);
  outbox.remove(config);
  await webhooks.forget(config);
  assert.equal(receiver.received.length, 2);
  assert.deepEqual(webhooks.counts(), { delivered: 0, failed: 0, dead: 0, gone: 0 });
  assert.equal(outbox.due(other).length, 1);
});

test("a config that is forgotten while it waits for its host is not sent to", async (context) => {
  const receiver = await receiverFor(context, hang);
  const { outbox, webhooks } = started(context, { settings: { ...QUICK, concurrency: 4 } });
  const [running, waiting] = ["c1", "c2"].map((id) => configOf(receiver.url, { id }));
  assert(running && waiting);
  outbox.write(running, 1);
  await receiver.has(1);
  outbox.write(waiting, 1);
  await outbox.until(() => outbox.taken.includes("c2"));
  outbox.remove(waiting);
  await webhooks.forget(waiting);
  outbox.remove(running);
  await webhooks.forget(running);
  assert.equal(receiver.received.length, 1);
});

test("a config that is forgotten while a claim is on its way is not sent to", async (context) => {
  const receiver = await receiverFor(context);
  const outbox = new MemoryOutbox();
  const config = configOf(receiver.url);
  outbox.write(config, 1);
  const answered = deferred<void>();
  outbox.onClaim = () => answered.promise;
  const { webhooks } = started(context, { outbox });
  outbox.remove(config);
  const forgotten = webhooks.forget(config);
  answered.resolve();
  await forgotten;
  await webhooks.stop(1000);
  assert.equal(receiver.received.length, 0);
});

test("a config with a new address is told at that address what it was being told at the old one", async (context) => {
  const old = await receiverFor(context, hang);
  const next = await receiverFor(context);
  const { outbox, webhooks } = started(context);
  outbox.write(configOf(old.url), 1, 2);
  await old.has(1);
  const moved = configOf(next.url);
  outbox.write(moved);
  await webhooks.forget(moved);
  await outbox.until(() => outbox.due(moved).length === 0);
  assert.deepEqual(next.received.map(generationOf), [1, 2]);
  assert.equal(old.received.length, 1);
});

test("a stop lets what is being sent end, and leaves the rest due", async (context) => {
  let answer: (() => void) | undefined;
  const receiver = await receiverFor(context, (response, received) => {
    answer = () => respondWith(200)(response, received);
  });
  const { outbox, webhooks } = started(context);
  const config = configOf(receiver.url);
  outbox.write(config, 1, 2, 3);
  await receiver.has(1);
  const stopped = webhooks.stop(60_000);
  answer?.();
  await stopped;
  assert.deepEqual(kindsOf(outbox), ["delivered"]);
  assert.deepEqual(
    outbox.due(config).map(({ generation }) => generation),
    [2, 3],
  );
  outbox.write(config, 4);
  assert.equal(receiver.received.length, 1);
});

test("a stop cuts what does not end in time, and it is due as it was", async (context) => {
  const receiver = await receiverFor(context, hang);
  const { outbox, webhooks } = started(context, { settings: { ...QUICK, concurrency: 4 } });
  const configs = ["c1", "c2", "c3"].map((id) => configOf(receiver.url, { id }));
  for (const config of configs) outbox.write(config, 1);
  await receiver.has(1);
  await webhooks.stop(10);
  assert.deepEqual(outbox.settled, []);
  assert.equal(
    outbox.lots.reduce((sum, count) => sum + count),
    outbox.taken.length,
  );
  assert.equal(await outbox.nextDueAt().then((dueAt) => dueAt !== undefined), true);
  for (const config of configs) assert.equal(outbox.due(config)[0]?.attempts, 0);
});

test("a store that fails is asked again, and what was delivered is not sent twice", async (context) => {
  const receiver = await receiverFor(context);
  const outbox = new MemoryOutbox();
  outbox.failing = { claim: 1, settle: 1 };
  const { log } = started(context, { outbox });
  const config = configOf(receiver.url);
  outbox.write(config, 1, 2);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(receiver.received.map(generationOf), [1, 2]);
  assert.deepEqual(
    log.lines.filter(({ level }) => level === "warn").map(({ message }) => message),
    ["due webhooks not read", "outcomes of webhooks not written"],
  );
});

test("a claim that has run out is not sent any further", async (context) => {
  let now = 0;
  const receiver = await receiverFor(context, (response, received) => {
    // Another try might end after the claim: 3 times the timeout.
    now += 15_000;
    respondWith(200)(response, received);
  });
  const outbox = new MemoryOutbox(() => now);
  started(context, { outbox, clock: { now: () => now } });
  const config = configOf(receiver.url);
  outbox.write(config, 1, 2, 3, 4, 5);
  await outbox.until(() => outbox.due(config).length === 0);
  assert.deepEqual(receiver.received.map(generationOf), [1, 2, 3, 4, 5]);
  assert.deepEqual(outbox.lots, [1, 1, 1]);
});

test("claims that ran out while they waited are given back, however many, and sent later", async (context) => {
  let now = 0;
  const first = deferred<void>();
  const receiver = await receiverFor(context, (response, received) => {
    const isFirst = received.headers["a2a-delivery-id"] === "t1.1.first";
    void (isFirst ? first.promise : Promise.resolve()).then(() =>
      respondWith(200)(response, received),
    );
  });
  const outbox = new MemoryOutbox(() => now);
  // One place for each host.
  const settings = { ...QUICK, concurrency: 4, timeout: 60_000 };
  started(context, { outbox, settings, clock: { now: () => now } });
  outbox.write(configOf(receiver.url, { id: "first" }), 1);
  await receiver.has(1);
  for (let place = 0; place < 2000; place++)
    outbox.write(configOf(receiver.url, { id: `c${place}` }), 1);
  await outbox.until(() => outbox.taken.length === 2001);
  now += 180_000;
  first.resolve();
  await outbox.until(() => outbox.settled.length === 2001);
  assert.equal(receiver.received.length, 2001);
  assert(outbox.taken.length > 4000, "all but the first were taken once more");
});

test("what is due together is taken together", async (context) => {
  const receiver = await receiverFor(context);
  const outbox = new MemoryOutbox();
  for (let place = 0; place < 200; place++)
    outbox.write(configOf(receiver.url, { id: `c${place}` }), 1);
  started(context, { outbox });
  await outbox.until(() => outbox.taken.length === 200);
  assert.equal(outbox.claims, 1);
  await outbox.until(() => outbox.settled.length === 200);
});
