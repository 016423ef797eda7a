import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../src/core/apply-event.ts";
import { entryOf, eventOf, replayOf } from "../../src/core/log-entry.ts";
import { jsonTextOf } from "../../src/protocol/ready-made.ts";

const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: 'a "b" \u2028' }] } as const;
const ids = { taskId: "01a22d7b-801d-773a-8f93-7d574bb8fb69", contextId: 'ü "c" \n\u0000' };
const timestamp = "2026-01-01T00:00:00.000Z";
const bare = { state: "TASK_STATE_WORKING", timestamp } as const;

const events: readonly TaskEvent[] = [
  { task: { id: ids.taskId, contextId: ids.contextId, status: bare, history: [message] } },
  { statusUpdate: { ...ids, status: bare } },
  { statusUpdate: { ...ids, status: { ...bare, message }, metadata: { k: null } } },
  { statusUpdate: { ...ids, status: { state: "TASK_STATE_UNSPECIFIED" } } },
  { statusUpdate: { ...ids, status: bare }, history: [message] },
  { artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ data: null }] } } },
];

test("an entry is its event as JSON, and so is what subscribers get, without the history", () => {
  for (const event of events) {
    const entry = entryOf(7, event);
    assert.deepEqual(eventOf(entry.text), event);
    const { history: _, ...published } = event as { history?: unknown };
    assert.deepEqual(JSON.parse(jsonTextOf(entry.response)), published);
    assert.deepEqual(replayOf(entry), entry);
  }
});
