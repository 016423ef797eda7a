import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EventHub, type Published } from "../../src/core/event-hub.ts";
import { entryOf } from "../../src/core/log-entry.ts";
import { A2AError } from "../../src/protocol/errors.ts";

function published(generation: number, text = "x"): Published {
  const artifact = { artifactId: "a", parts: [{ text }] };
  const event = { artifactUpdate: { taskId: "t", contextId: "c", artifact } };
  return { ...entryOf(generation, event), state: "TASK_STATE_WORKING" };
}

const roomy = { events: 100, characters: 100_000 };

describe("EventHub", () => {
  it("gives every subscriber every event in order", async () => {
    const hub = new EventHub(roomy);
    const readers = [hub.subscribe("t"), hub.subscribe("t")];
    for (const generation of [1, 2, 3]) hub.publish("t", published(generation));
    for (const reader of readers) {
      const seen: number[] = [];
      while (seen.length < 3) seen.push((await reader.next()).value?.generation ?? 0);
      assert.deepEqual(seen, [1, 2, 3]);
      reader.close();
    }
    assert.equal(hub.size, 0);
  });

  it("wakes a reader that waits", async () => {
    const hub = new EventHub(roomy);
    const reader = hub.subscribe("t");
    const next = reader.next();
    hub.publish("t", published(7));
    assert.equal((await next).value?.generation, 7);
  });

  it("ends a reader that lags behind by too many events, and no other", async () => {
    const hub = new EventHub({ events: 2, characters: 100_000 });
    const slow = hub.subscribe("t");
    const quick = hub.subscribe("t");
    for (const generation of [1, 2, 3]) {
      hub.publish("t", published(generation));
      assert.equal((await quick.next()).value?.generation, generation);
    }
    await assert.rejects(slow.next(), /resubscribe/);
    assert.equal(hub.size, 1);
  });

  it("ends a reader that lags behind by too much text", async () => {
    const hub = new EventHub({ events: 100, characters: 1_000 });
    const slow = hub.subscribe("t");
    hub.publish("t", published(1, "y".repeat(2_000)));
    await assert.rejects(slow.next(), (error) => A2AError.is(error));
  });

  it("ends a waiting reader when it is closed", async () => {
    const hub = new EventHub(roomy);
    const reader = hub.subscribe("t");
    const next = reader.next();
    reader.close();
    assert.equal((await next).done, true);
    assert.equal((await reader.next()).done, true);
  });

  it("fails every reader, and those that come later, once it is closed", async () => {
    const hub = new EventHub(roomy);
    const reader = hub.subscribe("t");
    hub.close(new A2AError("UNAVAILABLE", "stopping"));
    await assert.rejects(reader.next(), /stopping/);
    await assert.rejects(hub.subscribe("t").next(), /stopping/);
    assert.equal(hub.size, 0);
  });
});
