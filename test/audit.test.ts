import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openAudit } from "../src/audit.ts";
import { ConfigError } from "../src/config/errors.ts";
import { parseConfig } from "../src/config/load.ts";
import type { CallEntry, Decision } from "../src/core/ports/audit.ts";
import { RecordedLog } from "./support/recorded-log.ts";

const AGENTS = "agents: { one: { name: One, description: '', static: {} } }";

function configOf(folder: string, audit: string) {
  return parseConfig(`audit: ${audit}\n${AGENTS}`, join(folder, "config.yaml"), {});
}

function opened(t: TestContext, audit: string, whose = async (_: string) => OWNED) {
  const folder = mkdtempSync(join(tmpdir(), "a2a-audit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = new RecordedLog();
  const config = configOf(folder, audit);
  const written = openAudit({ config, archive: { whose }, log, now: () => 0 });
  assert.ok(written);
  const lines = (): readonly string[] =>
    readFileSync(join(folder, "audit.log"), "utf8").split("\n").filter(Boolean);
  return { audit: written, log, lines };
}

const OWNED = { agent: "one", owner: "alice" };

function call(decision: Decision, rest: Partial<CallEntry> = {}): CallEntry {
  return {
    kind: "call",
    requestId: "r",
    principal: { id: "bob", tenant: "", method: "apiKey" },
    address: "",
    binding: undefined,
    version: "1.0",
    agent: "one",
    operation: "getTask",
    task: "t",
    ms: 0,
    decision,
    reason: undefined,
    ...rest,
  };
}

function decisionsIn(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => (JSON.parse(line) as { decision: unknown }).decision);
}

test("nothing is opened where nothing is to be written", () => {
  const config = parseConfig(AGENTS, "/config.yaml", {});
  const archive = { whose: async () => undefined };
  assert.equal(openAudit({ config, archive, log: new RecordedLog(), now: () => 0 }), undefined);
});

for (const [audit, path, what] of [
  ["{ file: . }", "audit.file", /cannot be opened to append to/],
  ["{ file: no/audit.log }", "audit.file", /cannot be opened to append to: ENOENT/],
] as const)
  test(`a file that cannot be written is refused with its line: ${audit}`, (t) => {
    assert.throws(
      () => opened(t, audit),
      (thrown) => {
        assert.ok(thrown instanceof ConfigError);
        const [problem] = thrown.problems;
        assert.match(problem?.where ?? "", /config\.yaml:1:\d+$/);
        assert.equal(problem?.path, path);
        assert.match(problem?.what ?? "", what);
        return true;
      },
    );
  });

for (const [audit, path, what] of [
  ["{}", "audit.file", "missing, expected text"],
  [
    "{ file: stdout, onFailure: refuse }",
    "audit.onFailure",
    /^expected refuse only where file is a file/,
  ],
  ["{ file: a, operations: [sendMail] }", "audit.operations[0]", /expected one of/],
  ["{ file: a, decisions: [] }", "audit.decisions", /^expected a list that is not empty/],
] as const)
  test(`settings that make no sense are refused: ${audit}`, () => {
    assert.throws(
      () => configOf("/", audit),
      (thrown) => {
        assert.ok(thrown instanceof ConfigError);
        assert.equal(thrown.problems[0]?.path, path);
        if (what instanceof RegExp) assert.match(thrown.problems[0]?.what ?? "", what);
        else assert.equal(thrown.problems[0]?.what, what);
        return true;
      },
    );
  });

test("only decisions that are wanted are written, once it is known whose a task is", async (t) => {
  const { audit, lines } = opened(t, "{ file: audit.log, decisions: [denied] }");
  for (const decision of ["allowed", "denied", "failed"] as const) audit.write(call(decision));
  audit.write(call("failed", { reason: "TASK_NOT_FOUND", sought: { agent: "one", owner: "bob" } }));
  audit.write(call("failed", { reason: "TASK_NOT_FOUND", sought: OWNED }));
  await audit.close();
  assert.deepEqual(decisionsIn(lines()), ["denied", "denied"]);
  assert.match(lines()[1] ?? "", /"ownerAgent":"one","owner":"alice"/);
});

test("whose a task is, where that cannot be told, keeps no line back", async (t) => {
  const broken = async (): Promise<typeof OWNED> => {
    throw new Error("no database");
  };
  const { audit, lines, log } = opened(t, "{ file: audit.log }", broken);
  audit.write(call("failed", { reason: "TASK_NOT_FOUND", sought: { agent: "one", owner: "bob" } }));
  await audit.close();
  assert.deepEqual(decisionsIn(lines()), ["failed"]);
  assert.equal(log.errors.length, 1);
});

test("so many questions at a time are asked of the database, and no more", async (t) => {
  let asked = 0;
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = async (): Promise<typeof OWNED> => {
    asked++;
    await answered;
    return OWNED;
  };
  const { audit, lines } = opened(t, "{ file: audit.log }", slow);
  const entry = call("failed", {
    reason: "TASK_NOT_FOUND",
    sought: { agent: "one", owner: "bob" },
  });
  for (let index = 0; index < 1_200; index++) audit.write(entry);
  assert.equal(asked, 1_000);
  answer();
  await audit.close();
  const decisions = decisionsIn(lines());
  assert.equal(decisions.filter((each) => each === "denied").length, 1_000);
  assert.equal(decisions.filter((each) => each === "failed").length, 200);
});

test("lines on stdout stand among those of the log", async (t) => {
  const { audit, log } = opened(t, "{ file: stdout }");
  audit.write(call("allowed"));
  await audit.close();
  assert.match(String(log.lines[0]?.fields["line"]), /^\{"time":.*"audit":"call".*\}\n$/);
});

for (const onFailure of ["continue", "refuse"])
  test(`what cannot be written is told once, and ${onFailure} is what becomes of calls`, (t) => {
    process.on("SIGXFSZ", () => undefined);
    const limitFiles = (limit: string): void => {
      execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`]);
    };
    t.after(() => {
      limitFiles("unlimited");
      process.removeAllListeners("SIGXFSZ");
    });
    const { audit, log } = opened(t, `{ file: audit.log, onFailure: ${onFailure} }`);
    audit.check();
    limitFiles("0");
    for (let index = 0; index < 1_000; index++) audit.write(call("allowed"));
    if (onFailure === "continue") audit.check();
    else assert.throws(() => audit.check(), { reason: "UNAVAILABLE", retryAfter: 1 });
    limitFiles("unlimited");
    audit.reopen();
    audit.check();
    assert.deepEqual(
      log.lines.map(({ level, message }) => `${level} ${message}`),
      ["error the audit cannot be written", "warn the audit can be written again"],
    );
  });
