import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, bodyOf, cardAt, cardsFrom, LOADED_AT } from "./support.ts";

const ONE = 'agents:\n  one: { name: One, description: "", static: {} }\n';
const OFF = 'agents:\n  one: { name: One, description: "", v03: [], static: {} }\n';
const unversioned = (form: string): string => `cards: { unversioned: ${form} }\n`;

/** By what only that form has: the hybrid has the members of both. */
function formOf(text: string, version: string | undefined): string {
  const card = bodyOf(cardAt(text, { version }));
  const has = (name: string): boolean => name in card;
  if (!has("protocolVersion")) return "1.0";
  return has("supportedInterfaces") ? "hybrid" : "0.3";
}

const CASES: readonly (readonly [version: string | undefined, form: string])[] = [
  [undefined, "hybrid"],
  ["", "hybrid"],
  ["0.3", "hybrid"],
  ["0.3.0", "hybrid"],
  ["1.0", "1.0"],
  ["1.0.7", "1.0"],
  ["2.0", "1.0"],
  ["0.30", "1.0"],
  ["nonsense", "1.0"],
];

for (const [version, form] of CASES)
  test(`a request of version ${JSON.stringify(version ?? null)} gets the card in the form ${form}`, () => {
    assert.equal(formOf(ONE, version), form);
  });

for (const form of ["hybrid", "1.0", "0.3"])
  test(`a request without a version gets the form ${form} where the configuration says so`, () => {
    assert.equal(formOf(unversioned(form) + ONE, undefined), form);
    assert.equal(formOf(unversioned(form) + ONE, "0.3"), "hybrid");
  });

for (const form of ["hybrid", "0.3"])
  test(`an agent without 0.3 has the pure 1.0 card alone, whatever is asked for (${form})`, () => {
    for (const version of [undefined, "0.3", "1.0"])
      assert.equal(formOf(unversioned(form) + OFF, version), "1.0");
  });

test("an agent whose only door of 0.3 cannot be listed has the pure 1.0 card", () => {
  const text = `${ONE}  two: { name: Two, description: "", v03: [GRPC], static: {} }\n`;
  const card = bodyOf(cardAt(text, { agent: "two", version: "0.3" }));
  assert.equal("protocolVersion" in card, false);
});

test("the hybrid's url is a door of 0.3, and is repeated among the others", () => {
  const text = ONE.replace("static", "preferredBinding: HTTP+JSON, static");
  const card = bodyOf(cardAt(text, {})) as unknown as Record<string, unknown>;
  assert.equal(card["url"], "http://127.0.0.1:8080/a2a/one");
  assert.equal(card["preferredTransport"], "HTTP+JSON");
  assert.deepEqual((card["additionalInterfaces"] as unknown[])[0], {
    url: "http://127.0.0.1:8080/a2a/one",
    transport: "HTTP+JSON",
  });
});

test("each form has its own entity tag, which is strong and stays the same", () => {
  const cards = cardsFrom({ text: ONE })();
  const tags = [undefined, "1.0"].map((version) => asked(cards, { version }).etag);
  assert.match(tags.join(), /^"[\w-]{27}","[\w-]{27}"$/);
  assert.notEqual(tags[0], tags[1]);
  assert.equal(cardAt(ONE, {}).etag, tags[0]);
  assert.equal(asked(cards, { version: "0.3" }).etag, tags[0]);
});

test("a card was modified when the configuration was read, in whole seconds", () => {
  const card = cardAt(ONE, {});
  assert.equal(card.lastModified.getTime(), Math.floor(LOADED_AT / 1000) * 1000);
  assert.equal(card.maxAge, 300);
});

test("versions that nobody has heard of share one text", () => {
  const cards = cardsFrom({ text: ONE })();
  assert.equal(asked(cards, { version: "7.1" }), asked(cards, { version: "9.9" }));
});

test("at a listener of its own an agent is found at the root, and no other is", () => {
  const text = `${ONE}  two: { name: Two, description: "", port: 9002, static: {} }\n`;
  const cards = cardsFrom({ text })("two");
  assert.equal(bodyOf(asked(cards, {})).name, "Two");
  assert.equal(bodyOf(asked(cards, { agent: "two" })).name, "Two");
  const other = { agent: "one", version: undefined, origin: undefined };
  assert.equal(cards.card(other), undefined);
});

test("without an id the primary agent's card is served; an unknown id has none", () => {
  const text = `primary: two\n${ONE}  two: { name: Two, description: "", static: {} }\n`;
  const cards = cardsFrom({ text })();
  assert.equal(asked(cards, {}), asked(cards, { agent: "two" }));
  const unknown = { agent: "none", version: undefined, origin: undefined };
  assert.equal(cards.card(unknown), undefined);
});
