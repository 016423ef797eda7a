/** What those who run the gateway change is made and kept, or neither. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alter, answering, configured, running } from "./running.ts";

const SETUP = configured(["one", answering("one")], ["two", answering("two")]);

/** A trigger that refuses whatever is written to a table. */
const refusing = (what: "insert" | "delete", table: string): string =>
  `create trigger no before ${what} on ${table} begin select raise(abort, 'no'); end`;

test("an agent whose disabling cannot be kept goes on, with the turns that it has", async (t) => {
  const { gateway, admin, said } = await running(t, SETUP);
  await alter(gateway.database, refusing("insert", "disabled_agents"));
  assert.equal((await admin.refused("POST", "/agents/two/disable")).status, 500);
  assert.deepEqual(await admin.ids(), ["one", "two"]);
  assert.equal(await said("two"), "two");
});

test("an agent whose enabling cannot be kept stays disabled", async (t) => {
  const { gateway, admin, said } = await running(t, SETUP);
  await admin.done("POST", "/agents/two/disable");
  await alter(gateway.database, refusing("delete", "disabled_agents"));
  assert.equal((await admin.refused("POST", "/agents/two/enable")).status, 500);
  assert.deepEqual(await admin.ids(), ["one", "-two"]);
  await assert.rejects(said("two"), /no agent "two"/);
});

test("an agent that cannot be kept is not there, and neither is its port", async (t) => {
  const { gateway, admin } = await running(t, SETUP);
  await alter(gateway.database, refusing("insert", "added_agents"));
  const refused = await admin.refused("PUT", "/agents/three", answering("3", { port: 0 }));
  assert.equal(refused.status, 500);
  assert.deepEqual(await admin.ids(), ["one", "two"]);
  assert.deepEqual([...gateway.ownPorts], []);
});

test("an agent whose removal cannot be kept goes on", async (t) => {
  const { gateway, admin, said } = await running(t, SETUP);
  await admin.done("PUT", "/agents/three", answering("three"));
  await alter(gateway.database, refusing("delete", "added_agents"));
  assert.equal((await admin.refused("DELETE", "/agents/three")).status, 500);
  assert.equal(await said("three"), "three");
});
