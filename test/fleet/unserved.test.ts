/** Agents that were added and cannot be served stay in sight, and hold up nobody. */
import assert from "node:assert/strict";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ListenError } from "../../src/config/listen-at.ts";
import { createAuthority, NO_OPENSSL } from "../support/certificates.ts";
import { runGateway } from "../support/gateway.ts";
import { alter, answering, configured, running, SETTINGS, temporaryFolder } from "./running.ts";

type Admin = Awaited<ReturnType<typeof running>>["admin"];

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly problem?: string;
}

async function shown(admin: Admin, id: string): Promise<Shown> {
  return (await admin.done("GET", `/agents/${id}`)) as Shown;
}

/** Somebody else who listens on a port. */
async function occupied(t: TestContext, port = 0) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const free = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  t.after(() => free());
  return { port: (server.address() as AddressInfo).port, free };
}

/** A gateway to which an agent `two` was added, after a stop in which something happened. */
async function restarted(t: TestContext, definition: object, between: (folder: string) => unknown) {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "card.json"), CARD);
  const setup = { ...configured(["one", answering("one")]), folder };
  const first = await running(t, setup);
  await first.admin.done("PUT", "/agents/two", definition);
  await first.gateway.stop();
  await between(folder);
  return { ...(await running(t, setup)), folder };
}

const CARD = JSON.stringify({
  name: "Far",
  description: "",
  version: "1",
  supportedInterfaces: [
    { url: "http://127.0.0.1:1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
});
const NEEDS_FILE = { upstream: { card: "card.json" } };

test("a start goes on without an added agent whose port is taken; freed, it comes back when it is enabled", async (t) => {
  const { port, free } = await occupied(t);
  await free();
  let other: Awaited<ReturnType<typeof occupied>> | undefined;
  const { gateway, admin, said, portOf } = await restarted(
    t,
    answering("two", { port }),
    async () => (other = await occupied(t, port)),
  );
  assert.equal(await said("one"), "one");
  const two = await shown(admin, "two");
  assert.equal(two.isEnabled, true);
  assert.match(two.problem ?? "", /is in use \(setting agents\.two\.port/);
  await assert.rejects(said("two"), /no agent "two"/);
  const errors = gateway.log.errors.map(({ message, fields }) => [message, fields["agent"]]);
  assert.deepEqual(errors, [["an added agent cannot be served", "two"]]);

  const refused = await admin.refused("POST", "/agents/two/enable");
  assert.equal(refused.status, 409);
  assert.match(refused.message, /is in use/);
  await other?.free();
  await admin.done("POST", "/agents/two/enable");
  assert.equal((await shown(admin, "two")).problem, undefined);
  assert.equal(portOf("two"), port);
  assert.equal(await said("two"), "two");
});

test("an added agent whose port is taken can be removed, or given another definition", async (t) => {
  const { port, free } = await occupied(t);
  await free();
  const { admin, said } = await restarted(t, answering("two", { port }), () => occupied(t, port));
  await admin.done("PUT", "/agents/two", answering("2"));
  assert.equal(await said("two"), "2");
  assert.equal((await shown(admin, "two")).problem, undefined);
  await admin.done("DELETE", "/agents/two");
  assert.deepEqual(await admin.ids(), ["one"]);
});

test("a configured agent whose port is taken fails the start", async (t) => {
  const { port } = await occupied(t);
  const setup = configured(["one", answering("one")], ["two", answering("two", { port })]);
  await assert.rejects(runGateway(setup), (thrown) => ListenError.is(thrown));
});

test("an added agent that lacks a file is tried again at a reload, and at any other change", async (t) => {
  const lost = (folder: string) => rm(join(folder, "card.json"));
  const { admin, gateway, folder } = await restarted(t, NEEDS_FILE, lost);
  assert.equal((await shown(admin, "two")).problem, "upstream.card: no such file");
  assert.deepEqual((await admin.refused("POST", "/agents/two/enable")).problems, [
    "upstream.card: no such file",
  ]);
  await admin.done("PUT", "/agents/three", answering("three"));
  assert.equal(gateway.log.errors.length, 1);

  await writeFile(join(folder, "card.json"), CARD);
  await gateway.reload(configured(["one", answering("one")]));
  assert.equal((await shown(admin, "two")).problem, undefined);
});

test(
  "an added agent whose certificate is gone holds up no start",
  { skip: NO_OPENSSL },
  async (t) => {
    const authority = await createAuthority();
    t.after(() => authority.remove());
    const folder = await temporaryFolder(t);
    const files = await authority.server();
    await copyFile(files.cert, join(folder, "cert.pem"));
    await copyFile(files.key, join(folder, "key.pem"));
    const setup = { ...configured(["one", answering("one")]), folder };
    const first = await running(t, setup);
    const tls = { cert: "cert.pem", key: "key.pem" };
    await first.admin.done("PUT", "/agents/two", answering("two", { port: 0, tls }));
    await first.gateway.stop();
    await rm(join(folder, "cert.pem"));

    const { admin, said, gateway } = await running(t, setup);
    assert.equal(await said("one"), "one");
    assert.match(
      (await shown(admin, "two")).problem ?? "",
      /^agents\.two\.tls\.cert: .*no such file/,
    );
    await copyFile(files.cert, join(folder, "cert.pem"));
    await admin.done("POST", "/agents/two/enable");
    assert.ok(gateway.ownPorts.has("two"));
  },
);

test("an added agent that lacks a file can be disabled, and says nothing of it then", async (t) => {
  const lost = (folder: string) => rm(join(folder, "card.json"));
  const { admin } = await restarted(t, NEEDS_FILE, lost);
  await admin.done("POST", "/agents/two/disable");
  const { isEnabled, problem } = await shown(admin, "two");
  assert.deepEqual([isEnabled, problem], [false, undefined]);
});

test("an added agent whose definition is no longer valid is listed with what is wrong, and can be removed", async (t) => {
  const old = { name: "Old", nonsense: 1, static: {}, description: "" };
  const { admin, gateway } = await restarted(t, answering("two"), (folder) =>
    alter(
      join(folder, "gateway.db"),
      `update added_agents set definition = '${JSON.stringify(old)}'`,
    ),
  );
  const two = await shown(admin, "two");
  assert.deepEqual([two.name, two.kind, two.isEnabled], ["Old", "unknown", true]);
  assert.match(two.problem ?? "", /^nonsense: unknown key/);
  assert.deepEqual(await admin.ids(), ["one", "two"]);
  const { status, problems } = await admin.refused("POST", "/agents/two/enable");
  assert.equal(status, 400);
  assert.match(problems.join(), /nonsense: unknown key/);
  await gateway.reload({ ...configured(["one", answering("1")]), settings: SETTINGS });
  assert.deepEqual(await admin.ids(), ["one", "two"]);
  await admin.done("DELETE", "/agents/two");
  assert.deepEqual(await admin.ids(), ["one"]);
});
