import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { AuditFile } from "../../src/audit/file.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "a2a-audit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function opened(path: string) {
  const told: string[] = [];
  let tell: () => void = () => undefined;
  const file = new AuditFile(path, {
    failed: () => void told.push("failed"),
    recovered(lost) {
      told.push(`recovered, ${lost} lost`);
      tell();
    },
  });
  const recovery = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { file, told, recovery };
}

/** How long a file of this process may be, in bytes: past it a write fails, as on a full disk. */
function limitFiles(limit: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`]);
}

test("a file is made for its owner alone, and appended to", (t) => {
  const path = join(folderOf(t), "audit.log");
  for (const line of ["one\n", "two\n"]) {
    const { file } = opened(path);
    file.write(line);
    file.close();
  }
  assert.equal(readFileSync(path, "utf8"), "one\ntwo\n");
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("lines are written soon, without a word", async (t) => {
  const path = join(folderOf(t), "audit.log");
  const { file, told } = opened(path);
  file.write("one\n");
  assert.equal(readFileSync(path, "utf8"), "");
  while (readFileSync(path, "utf8") === "") await new Promise((resolve) => setTimeout(resolve, 10));
  file.close();
  assert.deepEqual(told, []);
});

test("a file that was moved away is made anew", (t) => {
  const folder = folderOf(t);
  const path = join(folder, "audit.log");
  const { file } = opened(path);
  file.write("one\n");
  file.reopen();
  renameSync(path, join(folder, "audit.log.1"));
  file.write("two\n");
  file.reopen();
  file.close();
  const both = ["audit.log.1", "audit.log"].map((name) => readFileSync(join(folder, name), "utf8"));
  // What was held back when it was moved goes on in the new one.
  assert.deepEqual(both, ["one\n", "two\n"]);
});

for (const [what, at] of [
  ["a folder", "."],
  ["a folder that is not there", "no/audit.log"],
  ["a device", "/dev/null"],
])
  test(`${what} is refused`, (t) => {
    assert.throws(() => opened(at === "/dev/null" ? "/dev/null" : join(folderOf(t), at ?? "")));
  });

test("lines that cannot be written are kept, told of once, and written whole later", async (t) => {
  process.on("SIGXFSZ", () => undefined);
  t.after(() => {
    limitFiles("unlimited");
    process.removeAllListeners("SIGXFSZ");
  });
  const folder = folderOf(t);
  const path = join(folder, "audit.log");
  writeFileSync(path, "x".repeat(1000));
  const { file, told, recovery } = opened(path);
  limitFiles(1010);
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} ${"y".repeat(20)}\n`);
  for (const line of lines) file.write(line);
  assert.deepEqual(told, ["failed"]);
  assert.ok(file.hasFailed);
  renameSync(path, join(folder, "audit.log.1"));
  limitFiles("unlimited");
  file.reopen();
  await recovery;
  assert.ok(!file.hasFailed);
  assert.deepEqual(told, ["failed", "recovered, 0 lost"]);
  file.close();
  assert.equal(readFileSync(path, "utf8"), lines.join(""));
});

test("what is too much to be kept is lost, and counted", async (t) => {
  process.on("SIGXFSZ", () => undefined);
  t.after(() => {
    limitFiles("unlimited");
    process.removeAllListeners("SIGXFSZ");
  });
  const path = join(folderOf(t), "audit.log");
  const { file, told, recovery } = opened(path);
  limitFiles(0);
  const line = `${"z".repeat(1024 * 1024 - 1)}\n`;
  for (let index = 0; index < 20; index++) file.write(line);
  limitFiles("unlimited");
  // It is tried again by itself, which keeps no process alive.
  const alive = setInterval(() => undefined, 60_000);
  await recovery;
  clearInterval(alive);
  const [, recovered = ""] = told;
  const lost = Number(/\d+/.exec(recovered)?.[0]);
  assert.ok(lost > 0 && lost < 5, recovered);
  file.close();
  assert.equal(statSync(path).size, (20 - lost) * line.length);
});
