/** What every agent store must do, whatever it keeps its agents in. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { AgentStore, KeptCard } from "../../src/core/ports/agent-store.ts";
import { card, served } from "../store/agent-cards.ts";

/** A store and what it is opened in. */
export interface OpenAgentStore {
  readonly agents: AgentStore;
  close(): Promise<void>;
}

export function agentStoreContract(
  name: string,
  open: (now: () => number) => Promise<OpenAgentStore>,
): void {
  describe(`${name} keeps the contract of an agent store`, () => {
    let clock = 0;
    let store: AgentStore;
    let opened: OpenAgentStore;
    beforeEach(async () => {
      clock = 5000;
      opened = await open(() => clock);
      store = opened.agents;
    });
    afterEach(() => opened.close());

    const idsAdded = async () => (await store.added()).map(({ id }) => id);

    // ---- added agents -------------------------------------------------------------------------------------------

    test("gives the agents back in the order in which they were added", async () => {
      assert.deepEqual(await store.added(), []);
      for (const id of ["zoe", "ann", "mia"]) await store.add(id, { handler: "static" });
      assert.deepEqual(await idsAdded(), ["zoe", "ann", "mia"]);
    });

    test("keeps a definition as it was written", async () => {
      const definition = {
        b: 1,
        a: [null, true, 1.5, { "": 'quote " and \\ and \u2028 and \ud83d\ude00 and \u0000' }],
        static: { rules: [] },
      };
      await store.add("ann", definition);
      assert.deepEqual(await store.added(), [
        { id: "ann", definition, createdAt: 5000, updatedAt: 5000 },
      ]);
    });

    test("gives an agent that is there another definition in the same place", async () => {
      await store.add("zoe", { n: 1 });
      await store.add("ann", { n: 2 });
      clock = 6000;
      await store.add("zoe", { n: 3 });
      assert.deepEqual(await store.added(), [
        { id: "zoe", definition: { n: 3 }, createdAt: 5000, updatedAt: 6000 },
        { id: "ann", definition: { n: 2 }, createdAt: 5000, updatedAt: 5000 },
      ]);
    });

    test("puts an agent that was removed and added again last", async () => {
      for (const id of ["zoe", "ann"]) await store.add(id, {});
      assert.equal(await store.remove("zoe"), true);
      assert.deepEqual(await idsAdded(), ["ann"]);
      clock = 7000;
      await store.add("zoe", {});
      assert.deepEqual(await idsAdded(), ["ann", "zoe"]);
      assert.equal((await store.added())[1]?.createdAt, 7000);
    });

    test("forgets with an agent everything that is kept of it", async () => {
      for (const id of ["zoe", "ann"]) {
        await store.add(id, {});
        await store.setEnabled(id, false);
        await store.keepCards(id, [found(id)]);
      }
      await store.record([served("zoe"), served("ann")]);
      assert.equal(await store.remove("zoe"), true);
      assert.equal(await store.remove("zoe"), false);
      assert.deepEqual(await store.disabled(), new Set(["ann"]));
      assert.deepEqual(await store.cardsOf("zoe"), []);
      assert.deepEqual(await store.cardsOf("ann"), [found("ann")]);
    });

    test("removes nothing of an agent that was not added", async () => {
      await store.setEnabled("configured", false);
      await store.keepCards("configured", [found("x")]);
      assert.equal(await store.remove("configured"), false);
      assert.deepEqual(await store.disabled(), new Set(["configured"]));
      assert.deepEqual(await store.cardsOf("configured"), [found("x")]);
    });

    // ---- switched off -------------------------------------------------------------------------------------------

    test("switches agents that it does not know off and on", async () => {
      assert.deepEqual(await store.disabled(), new Set());
      await store.setEnabled("ann", false);
      await store.setEnabled("ann", false);
      await store.setEnabled("zoe", false);
      assert.deepEqual(await store.disabled(), new Set(["ann", "zoe"]));
      await store.setEnabled("ann", true);
      await store.setEnabled("ann", true);
      assert.deepEqual(await store.disabled(), new Set(["zoe"]));
    });

    test("leaves an agent switched off that is added or recorded", async () => {
      await store.setEnabled("ann", false);
      await store.add("ann", {});
      await store.record([served("ann")]);
      await store.record([]);
      assert.deepEqual(await store.disabled(), new Set(["ann"]));
    });

    // ---- cards of remote agents ---------------------------------------------------------------------------------

    test("gives the cards of a remote agent back in their order", async () => {
      assert.deepEqual(await store.cardsOf("ann"), []);
      const cards: KeptCard[] = [
        {
          base: "https://b.example",
          url: "https://b.example/.well-known/agent-card.json",
          json: { name: "b", unknown: [null, { deep: "\u2028" }] },
          etag: 'W/"1"',
          fetchedAt: 1234,
        },
        { json: { name: "a" }, fetchedAt: 99 },
        { json: "not even a card", fetchedAt: 0 },
      ];
      await store.keepCards("ann", cards);
      assert.deepEqual(await store.cardsOf("ann"), cards);
      assert.deepEqual(await store.cardsOf("zoe"), []);
    });

    test("keeps a card whose JSON is nested very deep", async () => {
      const json: unknown = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`);
      await store.keepCards("ann", [{ json, fetchedAt: 1 }]);
      const [kept] = await store.cardsOf("ann");
      assert.equal(JSON.stringify(kept?.json).length, 6000);
    });

    test("keeps cards in place of those before", async () => {
      await store.keepCards("ann", [found("1"), found("2"), found("3")]);
      await store.keepCards("zoe", [found("z")]);
      await store.keepCards("ann", [found("4")]);
      assert.deepEqual(await store.cardsOf("ann"), [found("4")]);
      await store.keepCards("ann", []);
      assert.deepEqual(await store.cardsOf("ann"), []);
      assert.deepEqual(await store.cardsOf("zoe"), [found("z")]);
    });

    // ---- agents that are served ---------------------------------------------------------------------------------

    test("writes down cards that leave out or repeat what others have once", async () => {
      const skill = { id: "s", name: "n", description: "d", tags: [] };
      await store.record([
        served("none", { card: card({ supportedInterfaces: [], skills: [] }) }),
        served("repeats", { card: card({ skills: [skill, skill, { ...skill, id: "" }] }) }),
        served("extensions", {
          card: card({ capabilities: { extensions: [{}, {}, { uri: "x" }, { uri: "x" }] } }),
        }),
        served("bindings", {
          card: card({
            supportedInterfaces: [
              { url: "u", protocolBinding: "https://example.com/b", protocolVersion: "9.9" },
              { url: "u", protocolBinding: "https://example.com/b", protocolVersion: "9.9" },
            ],
          }),
        }),
        served("schemes", { card: card({ securitySchemes: { empty: {}, m: MTLS } }) }),
        served("texts", { card: card({ name: "\ud800 \u0000", description: "" }) }),
      ]);
    });

    test("writes down agents that change ports and the first place with each other", async () => {
      await store.record([
        served("ann", { port: 9001, isPrimary: true }),
        served("zoe", { port: 9002 }),
      ]);
      await store.record([
        served("zoe", { port: 9001, isPrimary: true }),
        served("ann", { port: 9002 }),
      ]);
      await store.record([served("mia", { port: 9001, isPrimary: true })]);
    });

    test("writes down several agents with any free port", async () => {
      await store.record([served("ann", { port: 0 }), served("zoe", { port: 0 })]);
    });

    test("writes down the last of what was asked for at once", async () => {
      await Promise.all([
        store.record([served("ann"), served("zoe")]),
        store.record([served("zoe", { port: 9001 })]),
        store.record([]),
        store.record([served("ann", { port: 9001 })]),
      ]);
    });
  });
}

const MTLS = { mtlsSecurityScheme: {} };

function found(name: string): KeptCard {
  return { url: `https://${name}.example`, json: { name }, fetchedAt: 1000 };
}
