import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandlerEvent } from "../../src/core/ports/handler.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { eventsOf } from "../../src/handlers/events.ts";

function decoded(outside: unknown): HandlerEvent[] {
  return [...eventsOf(outside)];
}

function refused(outside: unknown, message: RegExp, reason = "INVALID_AGENT_RESPONSE"): void {
  assert.throws(
    () => decoded(outside),
    (thrown) => {
      assert.ok(A2AError.is(thrown));
      assert.equal(thrown.reason, reason);
      assert.match(thrown.message, message);
      return true;
    },
  );
}

test("takes a text for a message, a state for a status, and a text for an artifact", () => {
  assert.deepEqual(decoded([{ message: "hi" }, { status: "working" }, { artifact: "it" }]), [
    { kind: "message", message: { parts: [{ text: "hi" }] } },
    { kind: "status", state: "TASK_STATE_WORKING" },
    { kind: "artifact", artifact: { parts: [{ text: "it" }] } },
  ]);
});

test("takes both spellings of states and of members", () => {
  const status = { state: "TASK_STATE_INPUT_REQUIRED", message: { text: "where?" } };
  const artifact = { artifact_id: "a", parts: [{ raw: "-_8", media_type: "image/png" }] };
  assert.deepEqual(
    decoded([
      { status, metadata: { a: 1 } },
      { status: "auth-required" },
      { artifact, append: true, last_chunk: true },
    ]),
    [
      {
        kind: "status",
        state: "TASK_STATE_INPUT_REQUIRED",
        message: { parts: [{ text: "where?" }] },
        metadata: { a: 1 },
      },
      { kind: "status", state: "TASK_STATE_AUTH_REQUIRED" },
      {
        kind: "artifact",
        artifact: { artifactId: "a", parts: [{ raw: "+/8=", mediaType: "image/png" }] },
        append: true,
        lastChunk: true,
      },
    ],
  );
});

test("takes every kind of part, null as data, and ignores unknown members", () => {
  const parts = [
    { text: "", kind: "text", raw: null },
    { url: "https://example.com/a", filename: "a" },
    { data: null },
    { data: [1, { b: null }], metadata: { c: true }, futureField: 1 },
  ];
  assert.deepEqual(decoded({ message: { parts, role: "agent", future: 1 }, other: 2 }), [
    {
      kind: "message",
      message: {
        parts: [
          { text: "" },
          { url: "https://example.com/a", filename: "a" },
          { data: null },
          { data: [1, { b: null }], metadata: { c: true } },
        ],
      },
    },
  ]);
});

test("takes a whole task with its history and artifacts", () => {
  const task = {
    id: "theirs",
    status: { state: "completed", message: "done" },
    history: [{ messageId: "m", role: "user", parts: [{ text: "q" }] }],
    artifacts: [{ artifactId: "a", name: "n", parts: [{ text: "r" }] }],
    metadata: { x: "y" },
  };
  assert.deepEqual(decoded({ task }), [
    {
      kind: "task",
      state: "TASK_STATE_COMPLETED",
      message: { parts: [{ text: "done" }] },
      history: [{ messageId: "m", role: "ROLE_USER", parts: [{ text: "q" }] }],
      artifacts: [{ artifactId: "a", name: "n", parts: [{ text: "r" }] }],
      metadata: { x: "y" },
    },
  ]);
});

test("takes replies as actions, and several looks at a task", () => {
  const actions = [
    { type: "a2a_reply", tasks: [{ status: "working" }, { status: "completed" }] },
    { type: "a2a_reply", task: { status: "completed" } },
  ];
  assert.deepEqual(
    decoded({ actions }).map((event) => event.kind === "task" && event.state),
    ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED"],
  );
  assert.deepEqual(decoded({ actions: [{ type: "a2a_reply", message: "hi" }] }), [
    { kind: "message", message: { parts: [{ text: "hi" }] } },
  ]);
  assert.deepEqual(decoded({ actions: [] }), []);
});

for (const [name, reason] of [
  ["task_not_found", "TASK_NOT_FOUND"],
  ["task_not_cancelable", "TASK_NOT_CANCELABLE"],
  ["unsupported_operation", "UNSUPPORTED_OPERATION"],
  ["content_type_not_supported", "CONTENT_TYPE_NOT_SUPPORTED"],
  ["invalid_params", "INVALID_PARAMS"],
] as const) {
  test(`throws the error ${name}, with the agent's message`, () => {
    refused({ error: { name, message: "no order 7" } }, /^no order 7$/, reason);
    refused({ actions: [{ type: "a2a_reply", error: { name } }] }, /^[a-z ]+$/, reason);
  });
}

test("hands over the events that come before an error", () => {
  const events = eventsOf([{ status: "working" }, { error: { name: "invalid_params" } }]);
  assert.equal(events.next().value?.kind, "status");
  assert.throws(() => events.next(), { reason: "INVALID_PARAMS" });
});

for (const [what, outside, message] of [
  ["what is no object", "text", /invalid: expected an object/],
  ["null", null, /expected an object/],
  ["an event without content", {}, /exactly one of message, status, artifact, task, error/],
  ["an event with two contents", { message: "a", status: "working" }, /exactly one of/],
  [
    "an unknown state",
    { status: "paused" },
    /status: no state "paused", expected one of submitted/,
  ],
  ["a future state", { status: { state: "TASK_STATE_PAUSED" } }, /status\.state: no state/],
  ["the state that says nothing", { status: "TASK_STATE_UNSPECIFIED" }, /no state/],
  ["a state by its number", { status: { state: 3 } }, /status\.state: no state,/],
  ["a message without parts", { message: { parts: [] } }, /message\.parts: expected at least one/],
  ["parts that are no list", { message: { parts: {} } }, /message\.parts: expected a list/],
  [
    "a part with nothing",
    { message: { parts: [{}] } },
    /message\.parts\[0\]: expected exactly one/,
  ],
  ["a part with two contents", { message: { parts: [{ text: "", url: "u" }] } }, /parts\[0\]: exp/],
  ["a text that is a number", { artifact: { text: 1 } }, /artifact\.text: expected a text/],
  [
    "raw that is not base64",
    { artifact: { parts: [{ raw: "a b" }] } },
    /parts\[0\]\.raw: expected base/,
  ],
  [
    "append without an id",
    { artifact: "x", append: true },
    /artifact\.artifactId: expected, since/,
  ],
  ["append that is a text", { artifact: "x", append: "yes" }, /^[^.]*append: expected true or/],
  ["metadata that is a list", { status: "working", metadata: [] }, /metadata: expected an object/],
  ["a task without a status", { task: {} }, /task\.status: expected an object/],
  [
    "a task's message without id",
    { task: { status: "working", history: [{ role: "user", parts: [{ text: "" }] }] } },
    /task\.history\[0\]\.messageId: expected a text/,
  ],
  [
    "a task's message without role",
    { task: { status: "working", history: [{ messageId: "a", parts: [{ text: "" }] }] } },
    /task\.history\[0\]\.role: expected ROLE_USER/,
  ],
  ["an unknown error", { error: { name: "oops" } }, /error\.name: expected one of task_not_found/],
  ["an error that is a text", { error: "oops" }, /error: expected an object/],
  [
    "an unknown action",
    { actions: [{ type: "email" }] },
    /actions\[0\]\.type: expected "a2a_reply"/,
  ],
  [
    "an empty action",
    { actions: [{ type: "a2a_reply" }] },
    /actions\[0\]: expected exactly one of/,
  ],
  [
    "no tasks",
    { actions: [{ type: "a2a_reply", tasks: [] }] },
    /tasks: expected at least one task/,
  ],
  ["a later event of a list", [{ status: "working" }, 5], /invalid: \[1\]: expected an object/],
] as const) {
  test(`refuses ${what}, and says where`, () => refused(outside, message));
}

test("refuses what nests too deep to be stored", () => {
  const deep = JSON.parse('{"a":'.repeat(5000) + "1" + "}".repeat(5000)) as unknown;
  refused({ message: { parts: [{ data: deep }] } }, /data: nests deeper than 100 levels/);
});
