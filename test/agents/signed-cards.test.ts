import assert from "node:assert/strict";
import { test } from "node:test";
import { publicKeysOf } from "../../src/agents/signing/public-keys.ts";
import { checkedSignatures, keySetUrlsOf } from "../../src/agents/signing/verify.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { agentsFrom, asked, cardsFrom, someKey } from "./support.ts";

const TEXT = `publicUrl: https://agents.example.com/base
agents:
  one: { name: One, description: "", extendedCard: { description: More }, static: {} }
`;
const KEYS = [someKey("k1"), someKey("k2")];

function formsIn(card: JsonObject, keySet: string): readonly string[] {
  return checkedSignatures(card, publicKeysOf(keySet)).map(({ header, verdict }) =>
    verdict.kind === "valid" ? `${header?.kid} ${verdict.form}` : verdict.why,
  );
}

const NEWEST = ["1.0", "1.0, without empty members"];

for (const [title, version, forms] of [
  ["the pure 1.0 card", "1.0", NEWEST],
  ["the hybrid", undefined, [...NEWEST, "0.3"]],
] as const)
  test(`${title} is signed with each key, for every parser that reads it`, () => {
    const cards = cardsFrom({ text: TEXT, keys: KEYS })();
    const card = JSON.parse(asked(cards, { version }).body) as JsonObject;
    const expected = ["k1", "k2"].flatMap((kid) => forms.map((form) => `${kid} ${form}`));
    assert.deepEqual(formsIn(card, cards.keySet()?.body ?? ""), expected);
    assert.deepEqual(keySetUrlsOf(card), ["https://agents.example.com/base/.well-known/jwks.json"]);
  });

test("the pure 0.3 card is signed for 0.3", () => {
  const cards = cardsFrom({ text: `cards: { unversioned: 0.3 }\n${TEXT}`, keys: KEYS })();
  const card = JSON.parse(asked(cards, {}).body) as JsonObject;
  assert.deepEqual(formsIn(card, cards.keySet()?.body ?? ""), ["k1 0.3", "k2 0.3"]);
});

test("the extended card is signed, and made once", () => {
  const agent = agentsFrom(TEXT, KEYS).find("one");
  const card = agent?.extendedCard?.() ?? assert.fail();
  assert.equal(agent?.extendedCard?.(), card);
  const keySet = cardsFrom({ text: TEXT, keys: KEYS })().keySet()?.body ?? "";
  const json = JSON.parse(JSON.stringify(card)) as JsonObject;
  assert.ok(formsIn(json, keySet).includes("k1 1.0"));
});

test("a signed text is made once, so that its entity tag stays", () => {
  const cards = cardsFrom({ text: TEXT, keys: KEYS });
  assert.equal(asked(cards(), {}), asked(cards(), {}));
});

test("without keys nothing is signed, and there is no key set", () => {
  const cards = cardsFrom({ text: TEXT })();
  assert.doesNotMatch(asked(cards, {}).body, /signatures/);
  assert.equal(cards.keySet(), undefined);
});
