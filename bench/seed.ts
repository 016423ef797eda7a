/**
 * Fills a database with finished tasks, 20 ms apart and the newest from just now, through the store's own code:
 * `node --import tsx bench/seed.ts FILE COUNT`. Two hundred tasks in a row share a context.
 */
import { randomUUID } from "node:crypto";
import { v7 as uuid } from "uuid";
import { entryOf } from "../src/core/log-entry.ts";
import type { TaskChange } from "../src/core/ports/task-store.ts";
import type { Artifact, Message } from "../src/protocol/model.ts";
import { openTaskStore } from "../src/store/knex/task-store.ts";

const SPACING_MS = 20;
const PER_CONTEXT = 200;
/** So many wait for the store at a time: each of its commits then takes many. */
const UNDER_WAY = 1_000;
const PADDING = "x".repeat(100);

const [, , file, argument] = process.argv;
const count = Number(argument);
if (file === undefined || !Number.isSafeInteger(count))
  throw new Error("usage: node --import tsx bench/seed.ts FILE COUNT");

const store = await openTaskStore({ file, cacheTasks: 0 });
const start = Date.now() - count * SPACING_MS;
let next = 0;
await Promise.all(Array.from({ length: UNDER_WAY }, lane));
await store.close();

async function lane(): Promise<void> {
  while (next < count) {
    const change = taskOf(next++);
    await store.commit({ take: () => change });
  }
}

function taskOf(number: number): TaskChange {
  const timestamp = start + number * SPACING_MS;
  const time = new Date(timestamp).toISOString();
  const id = uuid({ msecs: timestamp });
  const contextId = `context-${Math.floor(number / PER_CONTEXT)}`;
  const parts = [{ text: `seed ${number} ${PADDING}` }];
  const message: Message = {
    messageId: randomUUID(),
    contextId,
    taskId: id,
    role: "ROLE_USER",
    parts,
  };
  const artifact: Artifact = { artifactId: randomUUID(), name: "echo", parts };
  const key = { taskId: id, contextId };
  const status = (
    state: "TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING" | "TASK_STATE_COMPLETED",
  ) => ({
    state,
    timestamp: time,
  });
  const events = [
    { task: { id, contextId, status: status("TASK_STATE_SUBMITTED"), history: [message] } },
    { statusUpdate: { ...key, status: status("TASK_STATE_WORKING") } },
    { artifactUpdate: { ...key, artifact } },
    { statusUpdate: { ...key, status: status("TASK_STATE_COMPLETED") } },
  ];
  return {
    id,
    agent: "echo",
    owner: "",
    contextId,
    base: 0,
    entries: events.map((event, index) => entryOf(index + 1, event)),
    status: { state: "TASK_STATE_COMPLETED", timestamp },
    statusMessage: undefined,
    previous: undefined,
    snapshot: { history: [message], artifacts: [artifact], metadata: undefined },
    upstream: undefined,
    sent: undefined,
    pushConfigs: [],
  };
}
