import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createLog, type LogLevel, type Logger } from "../src/log.ts";

async function logTo(t: TestContext, level: LogLevel) {
  const folder = await mkdtemp(join(tmpdir(), "a2a-log-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "log");
  const target = openSync(file, "a");
  t.after(() => closeSync(target));
  const log: Logger = createLog(level, target);
  const lines = async (): Promise<readonly Record<string, unknown>[]> => {
    log.flush();
    const text = await readFile(file, "utf8");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  };
  return { log, lines };
}

test("a line is JSON with level, time, fields and message", async (t) => {
  const { log, lines } = await logTo(t, "info");
  log.info({ task: "t1", context: "c1" }, "task opened");
  const [line] = await lines();
  assert.match(String(line?.["time"]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(
    { ...line, time: "" },
    {
      level: "info",
      time: "",
      task: "t1",
      context: "c1",
      msg: "task opened",
    },
  );
});

test("the level decides, and can be changed at run time", async (t) => {
  const { log, lines } = await logTo(t, "warn");
  log.info({}, "one");
  log.level = "debug";
  log.debug({}, "two");
  log.level = "silent";
  log.error({}, "three");
  assert.deepEqual(
    (await lines()).map(({ msg }) => msg),
    ["two"],
  );
});

test("credentials are not written", async (t) => {
  const { log, lines } = await logTo(t, "info");
  const secrets = { authorization: "hush", cookie: "hush", "x-api-key": "hush", apiKey: "hush" };
  log.info({ ...secrets, headers: { ...secrets, accept: "x" }, metadata: secrets }, "request");
  assert.doesNotMatch(JSON.stringify(await lines()), /hush/);
});

test("an error is written with its message and stack", async (t) => {
  const { log, lines } = await logTo(t, "info");
  log.error({ err: new Error("broken") }, "failed");
  const [line] = await lines();
  assert.match(JSON.stringify(line), /"message":"broken","stack":"Error: broken/);
});

for (const [title, ending] of [
  ["exits", "process.exit(3)"],
  ["crashes", "setImmediate(() => { throw new Error('crash') })"],
] as const)
  test(`what was logged before the process ${title} is written`, async () => {
    const source = `
      import { createLog } from ${JSON.stringify(new URL("../src/log.ts", import.meta.url).href)};
      createLog("info").info({}, "last words");
      ${ending};`;
    const stdout = await new Promise<string>((resolve) => {
      const args = ["--import", "tsx", "--input-type=module", "--eval", source];
      execFile(process.execPath, args, (_error, output) => resolve(output));
    });
    assert.match(stdout, /"msg":"last words"/);
  });

test("a reader that reads no more does not hold up the end of the process", async () => {
  const line = JSON.stringify({ text: "x".repeat(1000) });
  const source = `
    import { createLog } from ${JSON.stringify(new URL("../src/log.ts", import.meta.url).href)};
    const log = createLog("info");
    for (let count = 0; count < 1000; count++) log.info(${line}, "unread");
    setTimeout(() => process.exit(3), 200);`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  assert.deepEqual(await once(child, "exit"), [3, null]);
});

test("what could not be written at once follows, in order, when there is room", async () => {
  const source = `
    import { createLog } from ${JSON.stringify(new URL("../src/log.ts", import.meta.url).href)};
    const log = createLog("info");
    for (let count = 0; count < 1000; count++) log.info({ count, text: "x".repeat(1000) }, "read");
`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += chunk;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const counts = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).count);
  assert.deepEqual(
    counts,
    Array.from({ length: 1000 }, (_, count) => count),
  );
});

test("a line is written whatever the level when it has to be", async (t) => {
  const { log, lines } = await logTo(t, "silent");
  log.always({ url: "x" }, "ready");
  const [line] = await lines();
  assert.deepEqual({ ...line, time: "" }, { level: "info", time: "", url: "x", msg: "ready" });
});
