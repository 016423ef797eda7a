/** 1.0 → 0.3 → 1.0 and 0.3 → 1.0 → 0.3 lose nothing but what docs/versions.md lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Artifact, Message, Part, Task } from "../../../src/protocol/model.ts";
import { kindCodecs } from "../../../src/wire/v0_3/kind/codecs.ts";
import { decodeKindSend } from "../../../src/wire/v0_3/kind/decode-requests.ts";
import { decodeKindResult } from "../../../src/wire/v0_3/kind/decode-results.ts";
import { legacyMessageOf } from "../../../src/wire/v0_3/kind/encode-model.ts";
import { sendMessageRequest, task } from "../arbitraries.ts";
import { sent } from "./kind-support.ts";

/** The part as 0.3 can say it. */
function lossyPart(part: Part): Part {
  const { filename: _, mediaType: __, ...rest } = part;
  if ("raw" in part || "url" in part) return part;
  const { metadata, ...bare } = rest;
  const isPlain = typeof part.data === "object" && part.data !== null && !Array.isArray(part.data);
  const isEmpty = metadata !== undefined && Object.keys(metadata).length === 0;
  return "data" in part && !isPlain && isEmpty ? bare : rest;
}

function lossyMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(lossyPart) };
}

function lossyTask({ status, history, artifacts, ...rest }: Task): Task {
  const { message, ...bare } = status;
  return {
    ...rest,
    status: message ? { ...bare, message: lossyMessage(message) } : bare,
    ...(history && { history: history.map(lossyMessage) }),
    ...(artifacts && {
      artifacts: artifacts.map((each): Artifact => ({ ...each, parts: each.parts.map(lossyPart) })),
    }),
  };
}

test("a task comes back from 0.3 with all that 0.3 can say", () => {
  fc.assert(
    fc.property(task, (model) => {
      const wire = sent(kindCodecs.getTask?.encode(model));
      assert.deepEqual(decodeKindResult(wire), { task: lossyTask(model) });
    }),
  );
});

test("a task of 0.3 comes back from 1.0 as it was", () => {
  fc.assert(
    fc.property(task, (model) => {
      const wire = sent(kindCodecs.getTask?.encode(model));
      const response = decodeKindResult(wire);
      assert.ok("task" in response);
      assert.deepEqual(sent(kindCodecs.getTask?.encode(response.task)), wire);
    }),
  );
});

test("a message comes back from 0.3 with all that 0.3 can say, as a request and as a result", () => {
  fc.assert(
    fc.property(sendMessageRequest, ({ message }) => {
      const wire = sent(legacyMessageOf(message));
      assert.deepEqual(decodeKindSend({ message: wire }).message, lossyMessage(message));
      assert.deepEqual(decodeKindResult(wire), { message: lossyMessage(message) });
      assert.deepEqual(sent(legacyMessageOf(decodeKindSend({ message: wire }).message)), wire);
    }),
  );
});

test("whatever comes as parameters is decoded or refused", () => {
  const name = fc.constantFrom("message", "kind", "parts", "text", "file", "data", "configuration");
  const json = fc.anything({ key: name, maxDepth: 5 });
  fc.assert(
    fc.property(json, (wire) => {
      try {
        decodeKindSend(wire);
      } catch (thrown) {
        assert.equal((thrown as { reason?: string }).reason, "INVALID_PARAMS", String(thrown));
      }
    }),
  );
});

test("an answer without its optional members, or without kinds, is understood", () => {
  assert.deepEqual(decodeKindResult({ id: "t1", status: { state: "working", timestamp: "now" } }), {
    task: { id: "t1", status: { state: "TASK_STATE_WORKING" } },
  });
  assert.deepEqual(decodeKindResult({ taskId: "t1", status: { state: "paused" }, final: true }), {
    statusUpdate: { taskId: "t1", contextId: "", status: { state: "TASK_STATE_UNSPECIFIED" } },
  });
  assert.deepEqual(decodeKindResult({ taskId: "t1", artifact: { artifactId: "a" } }), {
    artifactUpdate: { taskId: "t1", contextId: "", artifact: { artifactId: "a", parts: [] } },
  });
});
