import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { stored, query } from "./changes.ts";

const PROGRAM = fileURLToPath(new URL("committing-process.ts", import.meta.url));

test("has every acknowledged commit after a kill -9, whole and without gaps", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "killed.db");
  for (const lines of [40, 333, 1000]) {
    const acknowledged = await killedAfter(file, lines);
    const store = await openTaskStore({ file });
    for (const [id, generation] of acknowledged) {
      const log = await store.entriesAfter(id, 0);
      assert.ok(log !== undefined && log.length >= generation, `${id} at ${generation}`);
      assert.deepEqual(log, stored(1, log.length));
      assert.equal((await store.load("echo", "ann", id))?.generation, log.length);
    }
    const [counted] = await store.knex("tasks").count("* as n");
    assert.equal((await store.list(query({ limit: 1 }))).total, counted?.["n"]);
    await store.close();
  }
});

/** Kills a committing process once it acknowledged so many commits; the newest generation of each task. */
async function killedAfter(file: string, lines: number): Promise<ReadonlyMap<string, number>> {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const acknowledged = new Map<string, number>();
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id, generation] = line.split(" ");
    // The last line may have been cut by the kill.
    if (id === undefined || !/^[1-9]$/.test(generation ?? "")) continue;
    acknowledged.set(id, Number(generation));
    if (++seen === lines) child.kill("SIGKILL");
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL");
  return acknowledged;
}
