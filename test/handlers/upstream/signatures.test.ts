/** What becomes of cards that are not signed as they should be. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { signaturesOf } from "../../../src/agents/signing/signer.ts";
import { jwkOf, type SigningKey } from "../../../src/agents/signing/signing-key.ts";
import { upstreamSchema } from "../../../src/config/handlers/upstream.ts";
import type { UpstreamConfig } from "../../../src/handlers/upstream/config.ts";
import type { FoundCard } from "../../../src/handlers/upstream/discovery/found-card.ts";
import { createUpstreamHandler } from "../../../src/handlers/upstream/handler.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import { temporaryFolder } from "../../cli/command.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { CARD_PATH, legacyCard, ManualTimers, newestCard, pages, serve } from "./support.ts";
import { whyNotTrusted } from "../../../src/agents/signing/trusted-card.ts";

function keyNamed(kid: string): SigningKey {
  return { kid, algorithm: "EdDSA", privateKey: generateKeyPairSync("ed25519").privateKey };
}

const ours = keyNamed("ours");
const foreign = keyNamed("foreign");
const trustedKeys = [jwkOf(ours) as JsonObject];

const newest = newestCard({
  url: "http://up/rpc",
  protocolBinding: "JSONRPC",
  protocolVersion: "1.0",
});
const older = legacyCard({ url: "http://up/rpc", preferredTransport: "JSONRPC" });

function signed(card: object, key = ours): object {
  return { ...card, signatures: signaturesOf(card, [key]) };
}

type Settings = Omit<UpstreamConfig, "kind">;

async function open(
  context: TestContext,
  settings: Settings,
  { lastCards = [], baseDir = "/" }: { lastCards?: readonly FoundCard[]; baseDir?: string } = {},
) {
  const log = new RecordedLog();
  const handler = await createUpstreamHandler(
    { kind: "upstream", health: { interval: 0 }, ...settings },
    {
      baseDir,
      log,
      lastCards,
      timers: new ManualTimers(),
      verifyCard: async (json, { keySets }) => whyNotTrusted(json, keySets),
    },
  );
  context.after(() => handler.close?.());
  await handler.refresh();
  return { handler, log };
}

for (const [what, card] of [
  ["1.0", signed(newest)],
  ["0.3", signed(older)],
  ["both versions", signed({ ...older, ...newest })],
] as const)
  test(`a card of ${what} is used that is signed with a trusted key`, async (context) => {
    const { url } = await serve(context, pages({ [CARD_PATH]: card }));
    const { handler } = await open(context, { url, cardSignatures: "require", trustedKeys });
    assert.equal(handler.upstream().problem, undefined);
    assert.equal(handler.card?.()?.name, "Weather");
  });

const BAD = [
  ["is not signed", newest, /it is not signed/],
  ["is signed with a key that nobody knows", signed(newest, foreign), /there is no key "foreign"/],
  [
    "is another one than was signed",
    { ...signed(newest), name: "Evil" },
    /not the one that was signed/,
  ],
  [
    "names addresses that nobody signed",
    { ...signed(newest), url: "http://evil/rpc" },
    /no valid signature covers what clients of 0\.3 read/,
  ],
  ["is one of 0.3 and not signed", older, /it is not signed/],
  [
    "is one of 0.3 and another than was signed",
    { ...signed(older), url: "http://evil/" },
    /was signed/,
  ],
] as const;

for (const [what, card, why] of BAD) {
  test(`a card that ${what} is as good as none where signatures are required`, async (context) => {
    const { url } = await serve(context, pages({ [CARD_PATH]: card }));
    const { handler } = await open(context, { url, cardSignatures: "require", trustedKeys });
    assert.equal(handler.card?.(), undefined);
    assert.match(handler.upstream().problem ?? "", why);
  });

  test(`a card that ${what} is used and told of where that is to be warned of`, async (context) => {
    const { url } = await serve(context, pages({ [CARD_PATH]: card }));
    const { handler, log } = await open(context, { url, cardSignatures: "warn", trustedKeys });
    await handler.refresh();
    assert.ok(handler.card?.());
    const [warning, ...others] = log.lines;
    assert.deepEqual(
      [warning?.level, warning?.message],
      ["warn", "the agent's card is not trusted"],
    );
    assert.match(String(warning?.fields["problem"]), why);
    assert.deepEqual(others, []);
  });
}

test("the last good card stays when the agent shows another one that is not signed", async (context) => {
  const cards: Record<string, unknown> = { [CARD_PATH]: signed(newest) };
  const { url } = await serve(context, pages(cards));
  const { handler } = await open(context, { url, cardSignatures: "require", trustedKeys });
  cards[CARD_PATH] = { ...newest, name: "Evil" };
  await handler.refresh();
  assert.equal(handler.card?.()?.name, "Weather");
  assert.match(handler.upstream().problem ?? "", /it is not signed/);
});

test("a card of an earlier start is not used that is not trusted now", async (context) => {
  const { url, close } = await serve(context, pages({}));
  await close();
  const last = { base: url, url: url + CARD_PATH, fetchedAt: 1 };
  const settings = { url, cardSignatures: "require", trustedKeys } as const;
  const trusted = { lastCards: [{ ...last, json: signed(newest) }] };
  const untrusted = { lastCards: [{ ...last, json: newest }] };
  assert.equal((await open(context, settings, trusted)).handler.upstream().isKnown, true);
  assert.equal((await open(context, settings, untrusted)).handler.upstream().isKnown, false);
});

test("keys in a file count as they are when a card is fetched", async (context) => {
  const baseDir = await temporaryFolder(context);
  const write = (key: SigningKey) =>
    writeFile(join(baseDir, "keys.json"), JSON.stringify({ keys: [jwkOf(key)] }));
  await write(foreign);
  const { url } = await serve(context, pages({ [CARD_PATH]: signed(newest) }));
  const settings = { url, cardSignatures: "require", trustedKeys: "keys.json" } as const;
  const { handler } = await open(context, settings, { baseDir });
  assert.equal(handler.upstream().isKnown, false);
  await write(ours);
  await handler.refresh();
  assert.equal(handler.upstream().problem, undefined);
  await writeFile(join(baseDir, "keys.json"), "half");
  await handler.refresh();
  assert.equal(handler.upstream().problem, undefined);
});

test("keys at an address are asked for without the agent's credentials, and kept while it is away", async (context) => {
  const sent: unknown[] = [];
  const keys = await serve(context, ({ headers }, response) => {
    sent.push(headers.authorization);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: trustedKeys }));
  });
  const { url } = await serve(context, pages({ [CARD_PATH]: signed(newest) }));
  const { handler } = await open(context, {
    url,
    auth: { bearer: "secret" },
    cardSignatures: "require",
    trustedKeyUrls: [`${keys.url}/jwks.json`],
  });
  assert.equal(handler.upstream().problem, undefined);
  await keys.close();
  await handler.refresh();
  assert.equal(handler.upstream().problem, undefined);
  assert.deepEqual(sent, [undefined]);
});

test("keys that cannot be had are told of", async (context) => {
  const keys = await serve(context, pages({ "/html": "no keys" }));
  const { url } = await serve(context, pages({ [CARD_PATH]: signed(newest) }));
  const trustedKeyUrls = [`${keys.url}/none`, `${keys.url}/html`];
  const { handler } = await open(context, { url, cardSignatures: "require", trustedKeyUrls });
  const { problem = "" } = handler.upstream();
  assert.match(problem, /\/none cannot be had: the server answers 404/);
  assert.match(problem, /\/html cannot be had: no key set there/);
});

test("a file without keys is a mistake in the configuration", async (context) => {
  const baseDir = await temporaryFolder(context);
  await writeFile(join(baseDir, "keys.json"), "[]");
  const settings = { url: "http://up", cardSignatures: "require" } as const;
  for (const trustedKeys of ["keys.json", "none.json"])
    await assert.rejects(open(context, { ...settings, trustedKeys }, { baseDir }), {
      path: "trustedKeys",
    });
});

test("a configuration that wants signatures is refused where none can be verified", async () => {
  const config = {
    kind: "upstream",
    url: "http://up",
    cardSignatures: "warn",
    trustedKeys,
  } as const;
  const opened = createUpstreamHandler(config, { baseDir: "/", log: new RecordedLog() });
  await assert.rejects(opened, { path: "cardSignatures" });
});

const URLS = ["https://up/jwks.json"];

for (const settings of [
  { cardSignatures: "off" },
  { cardSignatures: "off", trustedKeyUrls: URLS },
  { cardSignatures: "warn", trustedKeys: "keys.json" },
  { cardSignatures: "require", trustedKeys: [{ kty: "OKP" }], trustedKeyUrls: URLS },
])
  test(`${JSON.stringify(settings)} can be configured`, () => {
    const expected = { kind: "upstream", url: "http://up", ...settings };
    assert.deepEqual(upstreamSchema.parse({ url: "http://up", ...settings }), expected);
  });

for (const [settings, path, what] of [
  [{ cardSignatures: "require" }, "cardSignatures", /trustedKeys or trustedKeyUrls/],
  [{ trustedKeys: "keys.json" }, "trustedKeys", /only beside cardSignatures/],
  [{ trustedKeyUrls: URLS }, "trustedKeyUrls", /only beside cardSignatures/],
  [{ cardSignatures: "warn", trustedKeys: [] }, "trustedKeys", /at least one/],
  [{ cardSignatures: "yes" }, "cardSignatures", /one of off, warn, require/],
] as const)
  test(`${JSON.stringify(settings)} is refused`, () => {
    const { error } = upstreamSchema.safeParse({ url: "http://up", ...settings });
    const text = JSON.stringify(error?.issues);
    assert.match(text, what);
    assert.ok(text.includes(`"${path}"`), text);
  });

test("signatures of a card that is configured do not matter", () => {
  const settings = { card: "card.json", cardSignatures: "require", trustedKeys: "keys.json" };
  assert.match(
    JSON.stringify(upstreamSchema.safeParse(settings).error?.issues),
    /only beside url or urls/,
  );
});
