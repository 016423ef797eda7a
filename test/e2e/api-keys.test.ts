/** API keys from the command line to every door: made, used, revoked, expired, and all of that after a restart. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import { command, type Finished } from "../cli/command.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { keyholes } from "./keyholes.ts";

const OPERATOR_KEY = "the key of an operator, long enough";

async function start(t: TestContext, { folder, access = {} }: { folder: string; access?: object }) {
  const apiKey = {
    in: "header",
    name: "X-Api-Key",
    keys: [
      {
        hash: createHash("sha256").update(OPERATOR_KEY).digest("hex"),
        principal: { id: "ann", scopes: ["operate"] },
      },
    ],
  };
  const gateway = await runGateway({
    folder,
    agents: { echo: { settings: { static: { otherwise: { message: "hello" } } } } },
    settings: {
      ops: { listen: "127.0.0.1:0" },
      access: { mode: "required", authenticators: [{ apiKey }], ...access },
    },
  });
  let isRunning = true;
  const doors = keyholes(gateway.port);
  const stop = async (): Promise<void> => {
    if (!isRunning) return;
    isRunning = false;
    for (const { close } of doors) close();
    await gateway.stop();
  };
  t.after(stop);
  return { gateway, doors, stop, run: (...args: readonly string[]) => run(gateway, args) };
}

function run({ opsUrl }: RunningGateway, args: readonly string[]): Promise<Finished> {
  return command(args, undefined, { A2A_GATEWAY_ADMIN: opsUrl });
}

interface Made {
  readonly id: string;
  readonly key: string;
  readonly expiresAt?: string;
}

function madeIn({ code, stdout, stderr }: Finished): Made {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Made;
}

type Started = Awaited<ReturnType<typeof start>>;

/** What each door makes of a key: in or out. */
async function statesOf({ doors }: Started, key: string | undefined) {
  const headers = key === undefined ? {} : { "x-api-key": key };
  return new Set(await Promise.all(doors.map(({ state }) => state(headers))));
}

const IN = new Set(["in"]);
const OUT = new Set(["out"]);

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-keys-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test("a key opens all six doors until it is revoked or expires, after a restart too", async (t) => {
  const folder = await newFolder(t);
  const first = await start(t, { folder });
  const create = async (...options: readonly string[]) =>
    madeIn(await first.run("keys", "create", "ci", "--json", ...options));

  const lasting = await create("--scope", "send", "--note", "lasts");
  const revoked = await create();
  assert.deepEqual(await statesOf(first, undefined), OUT);
  assert.deepEqual(await statesOf(first, `${lasting.key}x`), OUT);
  for (const { key } of [lasting, revoked]) assert.deepEqual(await statesOf(first, key), IN);

  assert.equal((await first.run("keys", "revoke", revoked.id)).stdout, `revoked ${revoked.id}\n`);
  assert.deepEqual(await statesOf(first, revoked.key), OUT);

  const expired = await create("--expires-in", "3s");
  const expiresAt = Date.parse(expired.expiresAt ?? "");
  const atFirst = await statesOf(first, expired.key);
  if (Date.now() < expiresAt) assert.deepEqual(atFirst, IN);
  while (Date.now() <= expiresAt) await setTimeout(50);
  assert.deepEqual(await statesOf(first, expired.key), OUT);
  assert.deepEqual(await statesOf(first, lasting.key), IN);

  const told = JSON.stringify(first.gateway.log.lines);
  for (const { key } of [lasting, revoked, expired]) assert.ok(!told.includes(key.slice(0, -1)));
  await first.stop();

  const second = await start(t, { folder });
  assert.deepEqual(await statesOf(second, lasting.key), IN);
  for (const { key } of [revoked, expired]) assert.deepEqual(await statesOf(second, key), OUT);
  const { stdout } = await second.run("keys", "list");
  const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    rows.slice(1, -1).map(([id, principal, state]) => [id, principal, state]),
    [
      [lasting.id, "ci", "active"],
      [revoked.id, "ci", "revoked"],
      [expired.id, "ci", "expired"],
    ],
  );
  assert.match(rows[1]?.[6] ?? "", /^\d{4}-/, "the last use is known");
});

test("a caller with the admin scope uses the Admin API, and nobody without", async (t) => {
  const folder = await newFolder(t);
  const started = await start(t, { folder, access: { adminScope: "operate" } });
  const as = (key: string, ...args: readonly string[]) =>
    started.run(...args, "--header", `x-api-key: ${key}`);

  const operator = madeIn(
    await as(OPERATOR_KEY, "keys", "create", "zoe", "--scope", "operate", "--json"),
  );
  const caller = madeIn(await as(operator.key, "keys", "create", "ci", "--json"));
  assert.deepEqual(await statesOf(started, caller.key), IN);
  assert.match((await as(caller.key, "keys", "list")).stderr, /^error: FORBIDDEN: /);
  assert.match((await started.run("keys", "list")).stderr, /^error: UNAUTHENTICATED: /);

  assert.equal((await as(OPERATOR_KEY, "keys", "revoke", operator.id)).code, 0);
  assert.match((await as(operator.key, "keys", "list")).stderr, /^error: UNAUTHENTICATED: /);
  const changes = started.gateway.log.lines.filter(({ message }) => message === "admin change");
  assert.deepEqual(
    changes.map(({ fields }) => fields["caller"]),
    ["ann", "zoe", "ann"].map((id) => ({ id, tenant: "" })),
  );
});

test("no key is made where nobody is asked for one", async (t) => {
  const started = await start(t, { folder: await newFolder(t), access: { mode: "off" } });
  const { code, stderr } = await started.run("keys", "create", "ci");
  assert.equal(code, 1);
  assert.equal(stderr, "error: CONFLICT: nobody is asked for an api key: access.mode is off\n");
});
