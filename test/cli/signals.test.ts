import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const SIGNALS = JSON.stringify(new URL("../../src/cli/signals.ts", import.meta.url).href);
const LOG = JSON.stringify(new URL("../../src/log.ts", import.meta.url).href);

/** The exit code and the messages of a process that gets SIGTERM and stops so. */
async function stopped(stop: string, deadline = 60_000) {
  const source = `
    import { createLog } from ${LOG};
    import { stopOnSignals } from ${SIGNALS};
    setInterval(() => {}, 1000);
    stopOnSignals({ stop: ${stop}, deadline: ${deadline}, log: createLog("info") });
    process.kill(process.pid, "SIGTERM");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) text += chunk;
  const [code] = await ended;
  const messages = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
  return { code, messages };
}

for (const [title, stop, code, why] of [
  ["with exit code 0 once it has stopped", "async () => {}", 0, []],
  [
    "with exit code 1 when stopping fails",
    "async () => { throw new Error('x'); }",
    1,
    ["stop failed"],
  ],
] as const)
  test(`the process ends ${title}`, async () => {
    assert.deepEqual(await stopped(stop), { code, messages: ["asked to stop", ...why] });
  });

test("the process ends with exit code 1 when stopping takes too long", async () => {
  assert.deepEqual(await stopped("() => new Promise(() => {})", 50), {
    code: 1,
    messages: ["asked to stop", "stop took too long"],
  });
});
