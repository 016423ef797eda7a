/** Events that are taken as they are: only those of which the decoder would make the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { A2AError } from "../../../src/protocol/errors.ts";
import { plainEvent } from "../../../src/wire/v1/client/plain-events.ts";
import { messages } from "../../../src/wire/v1/messages.ts";

const ODD: readonly unknown[] = [
  undefined,
  null,
  "",
  0,
  1,
  true,
  false,
  [],
  {},
  "\ud800",
  "x",
  { constructor: 1 },
];
const oddOr = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...ODD) });
const text = oddOr(fc.string());
const state = oddOr(
  fc.constantFrom("TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED", "TASK_STATE_NEW", "2"),
);
const time = oddOr(
  fc.constantFrom("2026-01-31T12:00:00.000Z", "2026-02-30T12:00:00.000Z", "2026-01-31T12:00:00Z"),
);
const part = oddOr(
  fc.record({ text, mediaType: text, more: text }, { requiredKeys: [], noNullPrototype: true }),
);
const artifact = oddOr(
  fc.record(
    { artifactId: text, name: text, description: text, parts: oddOr(fc.array(part)), more: text },
    { requiredKeys: ["artifactId", "parts"], noNullPrototype: true },
  ),
);
const artifactUpdate = fc.record(
  { taskId: text, contextId: text, artifact, append: oddOr(fc.boolean()), lastChunk: text },
  { requiredKeys: ["taskId", "artifact"], noNullPrototype: true },
);
const statusUpdate = fc.record(
  {
    taskId: text,
    contextId: text,
    status: oddOr(
      fc.record({ state, timestamp: time }, { requiredKeys: ["state"], noNullPrototype: true }),
    ),
    metadata: text,
  },
  { requiredKeys: ["taskId", "status"], noNullPrototype: true },
);
const event = fc.record(
  { artifactUpdate: oddOr(artifactUpdate), statusUpdate: oddOr(statusUpdate), more: text },
  { requiredKeys: [], noNullPrototype: true },
);

const there = { taskId: "t", contextId: "c" };

describe("an event that needs no decoding", () => {
  it("is what the decoder makes of it, whatever it is", () => {
    fc.assert(
      fc.property(event, (json) => {
        const plain = plainEvent(json);
        if (plain !== undefined) assert.deepEqual(plain, decoded(json));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is a bare status, or texts of an artifact", () => {
    const timestamp = "2026-01-31T12:00:00.000Z";
    const status = { state: "TASK_STATE_WORKING", timestamp };
    const words = { artifactId: "a", name: "n", parts: [{ text: "one" }, { text: "" }] };
    for (const json of [
      { statusUpdate: { ...there, status } },
      { artifactUpdate: { ...there, artifact: words } },
      { artifactUpdate: { ...there, artifact: words, append: true, lastChunk: true } },
    ]) {
      assert.equal(plainEvent(json), json);
      assert.deepEqual(decoded(json), json);
    }
  });

  it("has nothing else in it", () => {
    const status = { state: "TASK_STATE_WORKING" };
    for (const json of [
      { task: { id: "t", status } },
      { statusUpdate: { ...there, status }, message: {} },
      { statusUpdate: { ...there, status, metadata: { a: 1 } } },
      { statusUpdate: { ...there, status: { ...status, message: { parts: [] } } } },
      { statusUpdate: { ...there, status, constructor: 1 } },
      { artifactUpdate: { ...there, artifact: { artifactId: "a", parts: [{ data: 1 }] } } },
      JSON.parse('{"statusUpdate":{"__proto__":1}}') as unknown,
    ])
      assert.equal(plainEvent(json), undefined);
  });
});

/** The reason where it is refused. */
function decoded(json: unknown): unknown {
  try {
    return messages.StreamResponse.decode(json, "lenient");
  } catch (thrown) {
    assert.ok(A2AError.is(thrown), String(thrown));
    return thrown.reason;
  }
}
