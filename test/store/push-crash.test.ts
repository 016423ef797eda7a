import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { everything, deliveryQuery, openPushStores, type PushStores } from "./push-support.ts";

const PROGRAM = fileURLToPath(new URL("push-committing-process.ts", import.meta.url));

test("owes every event of an acknowledged commit after a kill -9, or has told it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "push-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "killed.db");
  for (const lines of [60, 500, 1500]) {
    const { committed, told } = await killedAfter(file, lines);
    const stores = await openPushStores(file);
    // What was due before the last kill has been told to since.
    const toldTasks = [...told].map((key) => key.slice(0, key.indexOf(" ")));
    const states = await statesOf(stores, new Set([...committed.keys(), ...toldTasks]));
    for (const [id, generation] of committed)
      for (let event = 1; event <= generation; event++)
        assert.ok(states.has(`${id} ${event}`), `event ${event} of ${generation} of ${id}`);
    for (const key of told) assert.equal(states.get(key), "delivered", key);
    assert.equal(await dueAtOnce(stores), (await stores.control.counts()).due);
    await stores.close();
  }
});

/** The state of each delivery of the tasks, by task and generation. */
async function statesOf(
  { control }: PushStores,
  taskIds: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const taskId of taskIds)
    for (const { generation, state } of await control.deliveries(deliveryQuery({ taskId })))
      states.set(`${taskId} ${generation}`, state);
  return states;
}

/** How many deliveries can be taken, each once. */
async function dueAtOnce({ outbox }: PushStores): Promise<number> {
  const claims = await outbox.claim({ ...everything(Date.now()), limit: 1_000_000 });
  const keys = claims.flatMap(({ config, deliveries }) =>
    deliveries.map(({ generation }) => `${config.taskId} ${generation}`),
  );
  return new Set(keys).size;
}

interface Acknowledged {
  /** The newest generation of each task. */
  readonly committed: ReadonlyMap<string, number>;
  /** Task and generation of what was settled. */
  readonly told: ReadonlySet<string>;
}

/** Kills a committing process once it acknowledged so much. */
async function killedAfter(file: string, lines: number): Promise<Acknowledged> {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const committed = new Map<string, number>();
  const told = new Set<string>();
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, id, generation] = line.split(" ");
    // The last line may have been cut by the kill.
    if (id === undefined || !/^[1-9]$/.test(generation ?? "")) continue;
    if (what === "committed") committed.set(id, Number(generation));
    else told.add(`${id} ${generation}`);
    if (++seen === lines) child.kill("SIGKILL");
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL");
  return { committed, told };
}
