import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { after, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import type { Handler, HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import { createHandler, type HandlerConfig } from "../../src/handlers/index.ts";
import { answer, silent, stepsIn, textsIn, turnOf, turnWithId } from "./turns.ts";

const verifyCard = async (): Promise<undefined> => undefined;

const EXAMPLES = resolve(import.meta.dirname, "../../examples");

const opened: Handler[] = [];

after(async () => {
  for (const handler of opened) await handler.close?.();
});

/** The handler of the only agent in an example. */
async function example(name: string): Promise<Handler> {
  const { agents, baseDir } = await loadConfig(resolve(EXAMPLES, name), {});
  const [agent] = Object.values(agents);
  const config: HandlerConfig | undefined = agent?.handler;
  assert.ok(config);
  const handler = await createHandler(config, {
    baseDir,
    env: process.env,
    log: silent,
    verifyCard,
  });
  opened.push(handler);
  return handler;
}

function waiting(): Partial<Turn> {
  return { task: { id: "task-1", status: { state: "TASK_STATE_INPUT_REQUIRED" } } };
}

test("every example can be loaded, and its agent be made", async () => {
  const names = (await readdir(EXAMPLES)).filter((name) => name.endsWith(".yaml"));
  assert.ok(names.length >= 5);
  for (const name of names) await example(name);
});

test("the echo agent says the text back", async () => {
  const events = await answer(await example("echo.yaml"), turnOf("hello"));
  assert.deepEqual(stepsIn(events), ["working", "artifact", "completed"]);
  assert.equal(textsIn(events)[1], "hello");
});

test("the Python agent asks back once, then streams its poem", async () => {
  const handler = await example("exec.yaml");
  const asked = await answer(handler, turnOf("a poem"));
  assert.deepEqual(stepsIn(asked), ["input-required"]);
  assert.deepEqual(textsIn(asked), ["What should it be about?"]);

  const events = await answer(handler, turnOf("rain", waiting()));
  assert.deepEqual(stepsIn(events), ["working", "artifact", "artifact", "artifact", "completed"]);
  assert.equal(textsIn(events)[1], "Rain at the door,\n");
  const again = await answer(handler, turnOf("a haiku", waiting()));
  assert.equal(textsIn(again)[1], "Nothing at the door,\n");
});

test("the Python agent refuses files", async () => {
  const turn = turnOf([{ url: "https://example.com/a.png" }]);
  await assert.rejects(answer(await example("exec.yaml"), turn), {
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
  });
});

test("the TypeScript agent counts words", async () => {
  const handler = await example("module.yaml");
  const events = await answer(handler, turnOf("the cat and the hat"));
  assert.deepEqual(textsIn(events).slice(1, 3), ["5 words\n", "2 x the\n"]);
  assert.deepEqual(stepsIn(await answer(handler, turnOf(""))), ["input-required"]);
});

test("the endpoint beside the http example answers its turns", async (t) => {
  const child = spawn(process.execPath, [resolve(EXAMPLES, "http/server.mjs")], {
    env: { PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = `${/http:\S+/.exec(String(line))?.[0]}/turn`;
  const deps = { baseDir: EXAMPLES, env: {}, log: silent, verifyCard };
  const handler = await createHandler({ kind: "http", url }, deps);
  opened.push(handler);
  const events = await answer(handler, turnOf("abc"));
  assert.deepEqual(stepsIn(events), ["working", "artifact", "completed"]);
  assert.equal(textsIn(events)[1], "cba");
});

const FILE = { filename: "output.txt", mediaType: "text/plain" };
const SCENARIOS: readonly [id: string, steps: readonly string[], part?: object][] = [
  ["tck-complete-task", ["completed"], { text: "Hello from TCK" }],
  ["tck-input-required", ["input-required"]],
  ["tck-artifact-text", ["artifact", "completed"], { text: "Generated text content" }],
  ["tck-artifact-file", ["artifact", "completed"], { ...FILE, raw: "dGNr" }],
  [
    "tck-artifact-file-url",
    ["artifact", "completed"],
    { ...FILE, url: "https://example.com/output.txt" },
  ],
  ["tck-artifact-data", ["artifact", "completed"], { data: { key: "value", count: 42 } }],
  ["tck-message-response", ["message"], { text: "Direct message response" }],
  ["tck-reject-task", ["rejected"]],
  ["tck-stream-001", ["working", "artifact", "completed"], { text: "Stream hello from TCK" }],
  ["tck-stream-002", ["completed"]],
  ["tck-stream-003", ["working", "artifact", "completed"], { text: "Stream task lifecycle" }],
  ["tck-stream-ordering-001", ["working", "artifact", "completed"], { text: "Ordered output" }],
  [
    "tck-stream-artifact-text",
    ["working", "artifact", "completed"],
    { text: "Streamed text content" },
  ],
  ["tck-stream-artifact-file", ["working", "artifact", "completed"], { ...FILE, raw: "dGNr" }],
  [
    "tck-stream-artifact-chunked",
    ["working", "artifact", "artifact", "completed"],
    { text: "chunk-1 " },
  ],
  ["tck-dm-test-001", ["completed"], { text: "Received: hi" }],
];
for (const [id, steps, part] of SCENARIOS) {
  test(`the conformance agent answers ${id}`, async () => {
    const events = await answer(await example("tck.yaml"), turnWithId(`${id}-0badcafe-grpc`));
    assert.deepEqual(stepsIn(events), steps);
    if (part) assert.deepEqual(events.flatMap(partsOf)[0], part);
  });
}

function partsOf(event: HandlerEvent) {
  if (event.kind === "upstream") return [];
  return event.kind === "artifact" ? event.artifact.parts : (event.message?.parts ?? []);
}
