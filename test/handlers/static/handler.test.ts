import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part } from "../../../src/protocol/model.ts";
import type { TaskState } from "../../../src/protocol/states.ts";
import type { Turn } from "../../../src/core/ports/handler.ts";
import type { StaticCondition, StaticConfig } from "../../../src/handlers/static/config.ts";
import { createStaticHandler } from "../../../src/handlers/static/handler.ts";
import { answer, stepsIn, textsIn, turnOf, turnWithId } from "../turns.ts";

function configOf(config: Omit<StaticConfig, "kind">): StaticConfig {
  return { kind: "static", ...config };
}

/** A turn that continues a task in that state. */
function followUp(state: TaskState): Turn {
  return turnOf("hi", { task: { id: "task-1", contextId: "context-1", status: { state } } });
}

test("answers with the first rule that matches", async () => {
  const handler = createStaticHandler(
    configOf({
      rules: [
        { when: { messageIdPrefix: "a-long" }, message: "longer" },
        { when: { messageIdPrefix: "a" }, message: "shorter" },
        { when: {}, message: "any" },
      ],
    }),
  );
  assert.deepEqual(textsIn(await answer(handler, turnWithId("a-long-1"))), ["longer"]);
  assert.deepEqual(textsIn(await answer(handler, turnWithId("a-1"))), ["shorter"]);
  assert.deepEqual(textsIn(await answer(handler, turnWithId("b"))), ["any"]);
});

const DATA: Part[] = [{ text: "see" }, { data: { city: "Rome", days: [1, 2], more: { x: 1 } } }];
const CONDITIONS: readonly [string, StaticCondition, yes: Turn, no: Turn][] = [
  ["the whole text", { text: "ab\ncd" }, turnOf([{ text: "ab" }, { text: "cd" }]), turnOf("ab")],
  ["a text in it", { contains: "b c" }, turnOf("ab cd"), turnOf("ab")],
  ["an expression", { regex: "^A+$", flags: "i" }, turnOf("aaa"), turnOf("aab")],
  ["a subset of data", { data: { more: { x: 1 } } }, turnOf(DATA), turnOf([{ data: { more: 1 } }])],
  ["a list in data", { data: { days: [1, 2] } }, turnOf(DATA), turnOf([{ data: { days: [1] } }])],
  ["an id's prefix", { messageIdPrefix: "m-" }, turnWithId("m-1"), turnWithId("m1")],
  ["the context", { contextId: "c" }, turnOf("", { contextId: "c" }), turnOf("")],
  [
    "the task's state",
    { taskState: "input-required" },
    followUp("TASK_STATE_INPUT_REQUIRED"),
    turnOf(""),
  ],
  ["no task", { taskState: "none" }, turnOf(""), followUp("TASK_STATE_WORKING")],
  [
    "several conditions at once",
    { contains: "a", contextId: "c" },
    turnOf("ab", { contextId: "c" }),
    turnOf("b", { contextId: "c" }),
  ],
];
for (const [what, when, yes, no] of CONDITIONS) {
  test(`matches on ${what}`, async () => {
    const handler = createStaticHandler(
      configOf({ rules: [{ when, message: "yes" }], otherwise: { message: "no" } }),
    );
    assert.deepEqual(textsIn(await answer(handler, yes)), ["yes"]);
    assert.deepEqual(textsIn(await answer(handler, no)), ["no"]);
  });
}

test("searches an expression in the first 10,000 characters only", async () => {
  const rules = [{ when: { regex: "needle" }, message: "found" }];
  const handler = createStaticHandler(configOf({ rules, otherwise: { message: "not found" } }));
  const hay = "x".repeat(9_994);
  assert.deepEqual(textsIn(await answer(handler, turnOf(`${hay}needle`))), ["found"]);
  assert.deepEqual(textsIn(await answer(handler, turnOf(`${hay}xneedle`))), ["not found"]);
});

for (const regex of ["^(a+)+$", "^(a|a)*$", "a*a*a*a*a*b", "^(?:a?){60}a{60}$"])
  test(`refuses a message on which /${regex}/ takes too long, and answers others`, async () => {
    const rules = [{ when: { regex }, message: "found" }];
    const handler = createStaticHandler(configOf({ rules, otherwise: { message: "not found" } }));
    const start = performance.now();
    await assert.rejects(async () => answer(handler, turnOf(`${"a".repeat(5_000)}!`)), {
      reason: "INVALID_PARAMS",
    });
    assert.ok(performance.now() - start < 2_000);
    assert.deepEqual(textsIn(await answer(handler, turnOf("!"))), ["not found"]);
  });

test("rejects the task when no rule matches and nothing else is said", async () => {
  const events = await answer(createStaticHandler(configOf({})), turnOf("hi"));
  assert.deepEqual(stepsIn(events), ["rejected"]);
  assert.deepEqual(textsIn(events), ["this agent has no answer to this message"]);
});

test("performs a script in order", async () => {
  const handler = createStaticHandler(
    configOf({
      otherwise: {
        script: [
          { status: "working", message: { text: "…", metadata: { a: 1 } }, metadata: { b: 2 } },
          { delay: 1 },
          {
            artifact: {
              id: "r",
              name: "report",
              description: "about",
              text: "t",
              file: { name: "o.txt", mediaType: "text/plain", base64: "dGNr" },
              data: { k: ["{{text}}"] },
              parts: [
                { file: { url: "https://x/{{messageId}}" } },
                { file: { text: "{{text}}" } },
                { text: "end", mediaType: "text/markdown", metadata: { m: 1 } },
              ],
              lastChunk: true,
            },
          },
          { fail: "no {{text}}" },
        ],
      },
    }),
  );
  assert.deepEqual(await answer(handler, turnOf("tck")), [
    {
      kind: "status",
      state: "TASK_STATE_WORKING",
      message: { parts: [{ text: "…" }], metadata: { a: 1 } },
      metadata: { b: 2 },
    },
    {
      kind: "artifact",
      artifact: {
        artifactId: "r",
        name: "report",
        description: "about",
        parts: [
          { text: "t" },
          { raw: "dGNr", filename: "o.txt", mediaType: "text/plain" },
          { data: { k: ["tck"] } },
          { url: "https://x/message-1" },
          { raw: "dGNr" },
          { text: "end", mediaType: "text/markdown", metadata: { m: 1 } },
        ],
      },
      lastChunk: true,
    },
    { kind: "status", state: "TASK_STATE_FAILED", message: { parts: [{ text: "no tck" }] } },
  ]);
});

test("sends chunks as appended parts of one artifact and marks the last", async () => {
  const script = [{ artifact: { chunks: ["{{text}}", { data: 1 }, "c"], chunkDelay: 1 } }];
  const handler = createStaticHandler(configOf({ otherwise: { script } }));
  assert.deepEqual(await answer(handler, turnOf("a")), [
    {
      kind: "artifact",
      artifact: { artifactId: "output-1", parts: [{ text: "a" }] },
      lastChunk: false,
    },
    { kind: "artifact", artifact: { artifactId: "output-1", parts: [{ data: 1 }] }, append: true },
    {
      kind: "artifact",
      artifact: { artifactId: "output-1", parts: [{ text: "c" }] },
      append: true,
      lastChunk: true,
    },
  ]);
});

test("gives each artifact that comes in chunks an id that the task does not have yet", async () => {
  const script = [{ artifact: { chunks: ["a"] } }, { artifact: { chunks: ["b"] } }];
  const handler = createStaticHandler(configOf({ otherwise: { script } }));
  const artifacts = [{ artifactId: "output-2", parts: [{ text: "" }] }];
  const task = { id: "task-1", status: { state: "TASK_STATE_WORKING" as const }, artifacts };
  const events = await answer(handler, turnOf("a", { task }));
  assert.deepEqual(
    events.map((event) => event.kind === "artifact" && event.artifact.artifactId),
    ["output-1", "output-3"],
  );
});

test("ends a script with an error by name", async () => {
  const error = { name: "task_not_found" as const, message: "no order {{text}}" };
  const handler = createStaticHandler(configOf({ otherwise: { script: [{ error }] } }));
  await assert.rejects(answer(handler, turnOf("7")), {
    reason: "TASK_NOT_FOUND",
    message: "no order 7",
  });
});

test("stops a script, in the middle of a delay too, when the turn is aborted", async () => {
  const script = [
    { status: "working" as const },
    { delay: 600_000 },
    { status: "completed" as const },
  ];
  const handler = createStaticHandler(configOf({ otherwise: { script } }));
  const controller = new AbortController();
  const steps: string[] = [];
  for await (const event of handler.handle(turnOf("hi", { signal: controller.signal }))) {
    steps.push(...stepsIn([event]));
    controller.abort();
  }
  assert.deepEqual(steps, ["working"]);
});

test("makes what does not depend on the turn once", async () => {
  const handler = createStaticHandler(configOf({ otherwise: { message: "always" } }));
  const [first] = await answer(handler, turnOf("a"));
  const [second] = await answer(handler, turnOf("b"));
  assert.equal(first, second);
});

for (const [what, config, message] of [
  [
    "an unknown variable",
    { otherwise: { script: [{ status: "working", message: "{{nope}}" }] } },
    /^otherwise\.script\[0\]\.message: no variable "nope"$/,
  ],
  [
    "a group that the expression does not have",
    { rules: [{ when: { regex: "(a)" }, message: "{{match.2}}" }] },
    /^rules\[0\]\.message: no variable "match\.2"$/,
  ],
  ["a match without an expression", { otherwise: { message: "{{match.0}}" } }, /no variable/],
  [
    "a broken expression",
    { rules: [{ when: { regex: "(" }, message: "" }] },
    /rules\[0\].when.regex/,
  ],
  [
    "an expression that keeps a state",
    { rules: [{ when: { regex: "a", flags: "g" }, message: "" }] },
    /flags must be/,
  ],
  ["an empty message", { otherwise: { message: {} } }, /expected text, file, data or parts/],
  [
    "append without id",
    { otherwise: { script: [{ artifact: { text: "", append: true } }] } },
    /an id/,
  ],
  [
    "a file with two contents",
    { otherwise: { message: { file: { text: "a", url: "b" } } } },
    /exactly one of base64, text and url/,
  ],
  ["base64 that is none", { otherwise: { message: { file: { base64: "?" } } } }, /base64/],
] as const satisfies readonly (readonly [string, Omit<StaticConfig, "kind">, RegExp])[]) {
  test(`is not created with ${what}`, () => {
    assert.throws(() => createStaticHandler(configOf(config)), { message });
  });
}
