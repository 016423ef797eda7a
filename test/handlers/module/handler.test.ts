import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Handler } from "../../../src/core/ports/handler.ts";
import type { ModuleConfig } from "../../../src/handlers/module/config.ts";
import { createModuleHandler } from "../../../src/handlers/module/handler.ts";
import { answer, stepsIn, textsIn, turnOf } from "../turns.ts";

let folder: string;
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "module-handler-"));
});

after(() => rm(folder, { recursive: true }));

/** A handler whose module holds this source. */
async function moduleOf(
  source: string,
  { ending = "mjs", ...config }: Partial<ModuleConfig> & { ending?: string } = {},
): Promise<Handler> {
  const path = `./agent-${count++}.${ending}`;
  await writeFile(join(folder, path), source);
  return createModuleHandler({ kind: "module", path, ...config }, { baseDir: folder });
}

const ECHO = `async function* (turn) { yield { message: turn.message.parts[0].text } }`;

for (const [what, source, config] of [
  ["the default export", `export default ${ECHO}`, {}],
  ["the export handle", `export const handle = ${ECHO}`, {}],
  ["a named export", `export default 1; export const other = ${ECHO}`, { export: "other" }],
  ["a default export of CommonJS", `exports.default = ${ECHO}`, { ending: "cjs" }],
  ["the export handle of CommonJS", `exports.handle = ${ECHO}`, { ending: "cjs" }],
  ["a function as CommonJS", `module.exports = ${ECHO}`, { ending: "cjs" }],
  ["TypeScript", `export default ${ECHO.replace("turn", "turn: any")}`, { ending: "ts" }],
  ["TypeScript modules", `export const handle: any = ${ECHO}; await 0`, { ending: "mts" }],
] as const) {
  test(`calls ${what}`, async () => {
    const handler = await moduleOf(source, config);
    assert.deepEqual(await answer(handler, turnOf("hi")), [
      { kind: "message", message: { parts: [{ text: "hi" }] } },
    ]);
  });
}

test("makes yielded texts pieces of one artifact", async () => {
  const handler = await moduleOf(
    `export async function* handle() { yield "a"; yield { status: "working" }; yield "b" }`,
  );
  const artifactId = "output-1";
  assert.deepEqual(await answer(handler, turnOf("")), [
    {
      kind: "artifact",
      artifact: { artifactId, parts: [{ text: "a" }] },
      lastChunk: false,
    },
    { kind: "status", state: "TASK_STATE_WORKING" },
    { kind: "artifact", artifact: { artifactId, parts: [{ text: "b" }] }, append: true },
    {
      kind: "artifact",
      artifact: { artifactId, parts: [{ text: "" }] },
      append: true,
      lastChunk: true,
    },
  ]);
});

test("takes HandlerEvents of every kind, and plain iterables", async () => {
  const handler = await moduleOf(`export function* handle() {
    yield { kind: "message", message: { parts: [{ text: "m" }] } };
    yield { kind: "status", state: "working", message: undefined, metadata: { a: 1 } };
    yield { kind: "artifact", artifact: { artifactId: "x", parts: [{ text: "p" }] }, append: true };
    yield { kind: "task", state: "TASK_STATE_COMPLETED", artifacts: [] };
  }`);
  assert.deepEqual(await answer(handler, turnOf("")), [
    { kind: "message", message: { parts: [{ text: "m" }] } },
    { kind: "status", state: "TASK_STATE_WORKING", metadata: { a: 1 } },
    {
      kind: "artifact",
      artifact: { artifactId: "x", parts: [{ text: "p" }] },
      append: true,
    },
    { kind: "task", state: "TASK_STATE_COMPLETED", artifacts: [] },
  ]);
});

test("takes events as they were when they were yielded", async () => {
  const handler = await moduleOf(`export async function* handle() {
    const event = { status: "working", metadata: { n: 1 } };
    yield event; event.metadata.n = 2; yield event;
  }`);
  const [first] = await answer(handler, turnOf(""));
  assert.deepEqual(first, { kind: "status", state: "TASK_STATE_WORKING", metadata: { n: 1 } });
});

test("throws the errors that a module yields, and lets its own fly", async () => {
  const named = await moduleOf(
    `export async function* handle() { yield { error: { name: "task_not_found", message: "x" } } }`,
  );
  await assert.rejects(answer(named, turnOf("")), { reason: "TASK_NOT_FOUND", message: "x" });
  const thrown = await moduleOf(`export async function* handle() { throw new RangeError("r") }`);
  await assert.rejects(answer(thrown, turnOf("")), { name: "RangeError", message: "r" });
});

for (const [what, body, message] of [
  ["an unknown kind", `yield { kind: "dance" }`, /event 1: kind: expected one of message/],
  [
    "an unknown state",
    `yield { kind: "status", state: "paused" }`,
    /event 1: status\.state: no st/,
  ],
  ["a number", `yield "text"; yield 7`, /event 2: expected an object/],
  ["nothing", `yield undefined`, /event 1: expected an object/],
  ["what is no JSON", `yield { message: { parts: [{ data: 1n }] } }`, /event 1: not JSON/],
] as const) {
  test(`refuses ${what} from a module`, async () => {
    const handler = await moduleOf(`export async function* handle() { ${body} }`);
    await assert.rejects(answer(handler, turnOf("")), {
      reason: "INVALID_AGENT_RESPONSE",
      message,
    });
  });
}

test("refuses a function that is no generator", async () => {
  const handler = await moduleOf(`export async function handle() { return "hi" }`);
  await assert.rejects(answer(handler, turnOf("")), /the module's function returned no iterable/);
});

test("shows the module the signal, and ends its generator when nobody reads on", async () => {
  const handler = await moduleOf(`export async function* handle(turn) {
    try { yield "a"; yield "b"; } finally { turn.metadata.ended = turn.signal.aborted; }
  }`);
  const controller = new AbortController();
  const metadata: { ended?: boolean } = {};
  for await (const _ of handler.handle(turnOf("", { metadata, signal: controller.signal }))) {
    controller.abort();
    break;
  }
  assert.equal(metadata.ended, true);
});

test("calls cancel and close when the module has them", async () => {
  const handler = await moduleOf(`
    const calls = [];
    export async function* handle() { yield calls.join() }
    export function cancel(turn, { by }) { calls.push("cancel " + turn.taskId + " by " + by) }
    export async function close() { calls.push("close") }
  `);
  await handler.cancel?.(turnOf(""), { by: "user" });
  await handler.close?.();
  assert.equal(textsIn(await answer(handler, turnOf("")))[0], "cancel task-1 by user,close");
  const without = await moduleOf(`export default ${ECHO}`);
  assert.equal(without.cancel, undefined);
  assert.equal(without.close, undefined);
  assert.deepEqual(stepsIn(await answer(without, turnOf("a"))), ["message"]);
});

test("is not created without a file, an export, or a function in it", async () => {
  const missing = { kind: "module", path: "./none.ts" } as const;
  await assert.rejects(
    createModuleHandler(missing, { baseDir: folder }),
    /^Error: no module \.\/none/,
  );
  await assert.rejects(moduleOf(`export const x = 1`), /has no default export or export `handle`/);
  await assert.rejects(moduleOf(`export default 1`, { export: "x" }), /has no export `x` that/);
  await assert.rejects(moduleOf(`export const handle = 1`), /its export `handle` is no function/);
  await assert.rejects(moduleOf(`export default (`), /cannot be loaded: /);
  await assert.rejects(moduleOf(`export default (`, { ending: "ts" }), /cannot be loaded: /);
});
