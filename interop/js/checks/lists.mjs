import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { TaskState } from "@a2a-js/sdk";
import { list, send } from "../requests.mjs";

/** Of 1.0 alone: in 0.3 no two sources agree on a ListTasks. */
export async function listChecks(client, check, { version }) {
  if (version === "0.3") return;
  const contextId = `list-${randomUUID()}`;
  const ids = [];

  await check("ListTasks walks all pages without gap or repeat, newest first", async () => {
    for (const text of ["one", "two", "three", "four", "ask"])
      ids.unshift((await client.sendMessage(send(text, { contextId }))).id);
    const seen = [];
    let pageToken = "";
    for (const size of [2, 2, 1]) {
      const page = await client.listTasks(list({ contextId, pageSize: 2, pageToken }));
      assert.equal(page.tasks.length, size);
      assert.equal(page.totalSize, 5);
      assert.equal(page.pageSize, 2);
      seen.push(...page.tasks.map((task) => task.id));
      pageToken = page.nextPageToken;
    }
    assert.equal(pageToken, "");
    assert.deepEqual(seen, ids);
  });

  await check("ListTasks filters by state", async () => {
    const waiting = TaskState.TASK_STATE_INPUT_REQUIRED;
    const page = await client.listTasks(list({ contextId, status: waiting }));
    assert.deepEqual(
      page.tasks.map((task) => task.id),
      ids.slice(0, 1),
    );
    assert.equal(page.totalSize, 1);
  });

  await check("ListTasks filters by time", async () => {
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const later = await client.listTasks(list({ contextId, statusTimestampAfter: future }));
    assert.deepEqual([later.tasks.length, later.totalSize], [0, 0]);
    const since = await client.listTasks(list({ contextId, statusTimestampAfter: past }));
    assert.deepEqual([since.tasks.length, since.totalSize], [5, 5]);
  });

  await check("ListTasks leaves artifacts out unless they are asked for", async () => {
    const bare = await client.listTasks(list({ contextId }));
    assert.ok(bare.tasks.every((task) => task.artifacts.length === 0));
    const full = await client.listTasks(list({ contextId, includeArtifacts: true }));
    assert.equal(full.tasks[1].artifacts.length, 1);
  });

  await check("ListTasks answers an empty page for an unknown context", async () => {
    const page = await client.listTasks(list({ contextId: `none-${randomUUID()}` }));
    assert.deepEqual([page.tasks.length, page.totalSize, page.nextPageToken], [0, 0, ""]);
  });
}
