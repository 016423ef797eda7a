import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEvent, liveTaskOf, taskOf } from "../../src/core/apply-event.ts";
import type { Artifact, Task } from "../../src/protocol/model.ts";

const task: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00.000Z" },
  history: [{ messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] }],
};

function artifactUpdate(artifact: Artifact, append = false) {
  return { artifactUpdate: { taskId: "t", contextId: "c", artifact, append } };
}

describe("applyEvent", () => {
  it("adds an artifact", () => {
    const live = liveTaskOf(task);
    applyEvent(live, artifactUpdate({ artifactId: "a", parts: [{ text: "1" }] }));
    assert.deepEqual(taskOf(live).artifacts, [{ artifactId: "a", parts: [{ text: "1" }] }]);
  });

  it("appends the parts of a chunk and takes over what it says of the artifact", () => {
    const live = liveTaskOf(task);
    applyEvent(live, artifactUpdate({ artifactId: "a", name: "old", parts: [{ text: "1" }] }));
    const chunk = { artifactId: "a", name: "new", metadata: { k: 1 }, parts: [{ text: "2" }] };
    applyEvent(live, artifactUpdate(chunk, true));
    assert.deepEqual(taskOf(live).artifacts, [
      { artifactId: "a", name: "new", metadata: { k: 1 }, parts: [{ text: "1" }, { text: "2" }] },
    ]);
  });

  it("starts an artifact with a chunk that appends to nothing", () => {
    const live = liveTaskOf(task);
    applyEvent(live, artifactUpdate({ artifactId: "a", parts: [{ text: "1" }] }, true));
    assert.equal(taskOf(live).artifacts?.length, 1);
  });

  it("replaces an artifact that comes again without append, where it stood", () => {
    const live = liveTaskOf(task);
    for (const id of ["a", "b"]) {
      applyEvent(live, artifactUpdate({ artifactId: id, parts: [{ text: id }] }));
    }
    applyEvent(live, artifactUpdate({ artifactId: "a", parts: [{ text: "again" }] }));
    assert.deepEqual(
      taskOf(live).artifacts?.map(({ parts }) => parts[0]?.text),
      ["again", "b"],
    );
  });

  it("keeps events apart from the objects they came with", () => {
    const live = liveTaskOf(task);
    const first: Artifact = { artifactId: "a", parts: [{ text: "1" }] };
    applyEvent(live, artifactUpdate(first));
    const before = taskOf(live);
    applyEvent(live, artifactUpdate({ artifactId: "a", parts: [{ text: "2" }] }, true));
    assert.equal(first.parts.length, 1);
    assert.equal(before.artifacts?.[0]?.parts.length, 1);
  });

  it("sets the status, extends the history and merges the metadata", () => {
    const live = liveTaskOf({ ...task, metadata: { a: 1 } });
    const status = { state: "TASK_STATE_COMPLETED" } as const;
    const said = { messageId: "m2", role: "ROLE_AGENT", parts: [{ text: "so" }] } as const;
    applyEvent(live, {
      statusUpdate: { taskId: "t", contextId: "c", status, metadata: { b: 2 } },
      history: [said],
    });
    assert.equal(live.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(live.metadata, { a: 1, b: 2 });
    assert.equal(live.history.at(-1)?.messageId, "m2");
  });
});
