import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { CardSource, type CardSourceSettings } from "../../../src/handlers/upstream/card-source.ts";
import type { Discovered } from "../../../src/handlers/upstream/discovery/discover.ts";
import type { FoundCard } from "../../../src/handlers/upstream/discovery/found-card.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { CARD_PATH, ManualTimers, newestCard, pages, serve } from "./support.ts";

const REFRESH = 300_000;

const cardAt = (url: string) =>
  newestCard({ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" });

interface Scene {
  readonly source: CardSource;
  readonly timers: ManualTimers;
  readonly log: RecordedLog;
  readonly changes: Discovered[];
}

async function open(
  context: TestContext,
  settings: Omit<CardSourceSettings, "cardRefresh">,
  lastCards: readonly FoundCard[] = [],
): Promise<Scene> {
  const timers = new ManualTimers();
  const log = new RecordedLog();
  const changes: Discovered[] = [];
  const source = CardSource.open(
    { cardRefresh: REFRESH, ...settings },
    {
      headers: async () => ({}),
      refused: () => false,
      tls: {},
      baseDir: "/",
      lastCards,
      changed: (discovered) => changes.push(discovered),
      timers,
      log,
    },
  );
  context.after(() => source.close());
  await source.refresh();
  return { source, timers, log, changes };
}

function urlsOf(source: CardSource): readonly string[] {
  return source.current().interfaces.map(({ url }) => url);
}

test("asks for the card again from time to time, and tells when it is another one", async (context) => {
  const cards: Record<string, unknown> = { [CARD_PATH]: cardAt("/1") };
  const { url, asked } = await serve(context, pages(cards));
  const { source, timers, changes } = await open(context, { url });
  const first = source.current();
  assert.deepEqual(timers.waits, [REFRESH]);

  timers.pass(REFRESH);
  await source.refresh();
  assert.equal(asked.length, 2);
  assert.equal(source.current().interfaces, first.interfaces);
  assert.equal(changes.length, 1);
  assert.equal(source.status().fetchedAt, timers.now());

  cards[CARD_PATH] = cardAt("/2");
  timers.pass(REFRESH);
  await source.refresh();
  assert.deepEqual(urlsOf(source), [`${url}/2`]);
  assert.equal(changes.length, 2);
});

test("is unavailable until an agent is there that was not at the start, and asks less and less often", async (context) => {
  const absent = await serve(context, pages({}));
  await absent.close();
  const { source, timers, log } = await open(context, { url: absent.url });
  const waits = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    const [wait = 0] = timers.waits;
    waits.push(wait);
    assert.throws(() => source.current(), { reason: "UNAVAILABLE", retryAfter: wait / 1000 });
    timers.pass(wait);
    await source.refresh();
  }
  assert.deepEqual(
    waits,
    [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000),
  );
  assert.match(source.status().problem ?? "", /ECONNREFUSED/);
  assert.equal(log.lines.length, 1);

  await serve(context, pages({ [CARD_PATH]: cardAt("/rpc") }), Number(new URL(absent.url).port));
  timers.pass(60_000);
  await source.refresh();
  assert.deepEqual(urlsOf(source), [`${absent.url}/rpc`]);
  assert.equal(source.status().problem, undefined);
  assert.deepEqual(timers.waits, [REFRESH]);
});

test("keeps the card of an agent that goes away", async (context) => {
  const { url, close } = await serve(context, pages({ [CARD_PATH]: cardAt("/rpc") }));
  const { source, timers } = await open(context, { url });
  await close();
  timers.pass(REFRESH);
  await source.refresh();
  assert.deepEqual(urlsOf(source), [`${url}/rpc`]);
  assert.deepEqual(source.status().isKnown, true);
  assert.match(source.status().problem ?? "", /ECONNREFUSED/);
  assert.deepEqual(timers.waits, [1000]);
});

test("starts from the last known card of the same address", async (context) => {
  const { url, close } = await serve(context, pages({}));
  await close();
  const found = { url: `${url}${CARD_PATH}`, json: cardAt("/rpc"), fetchedAt: 1 };
  const { source } = await open(context, { url }, [{ ...found, base: url }]);
  assert.deepEqual(urlsOf(source), [`${url}/rpc`]);
  const other = await open(context, { url }, [{ ...found, base: "http://other" }]);
  assert.throws(() => other.source.current(), { reason: "UNAVAILABLE" });
});

test("passes over a last known card that cannot be used any more", async (context) => {
  const { url } = await serve(context, pages({ [CARD_PATH]: cardAt("/rpc") }));
  const { source } = await open(context, { url }, [{ base: url, json: 7, fetchedAt: 1 }]);
  assert.deepEqual(urlsOf(source), [`${url}/rpc`]);
});

test("has a configured card at once, and asks nobody", async (context) => {
  const card = { url: "http://up/rpc", protocolVersion: "0.3.0" };
  const { source, timers } = await open(context, { card });
  assert.deepEqual(urlsOf(source), ["http://up/rpc"]);
  assert.deepEqual(timers.waits, []);
});

test("asks no more once it is closed", async (context) => {
  const { url } = await serve(context, pages({ [CARD_PATH]: cardAt("/rpc") }));
  const { source, timers, log } = await open(context, { url });
  source.close();
  assert.deepEqual(timers.waits, []);
  await source.refresh();
  assert.deepEqual(timers.waits, []);
  assert.deepEqual(log.lines, []);
});
