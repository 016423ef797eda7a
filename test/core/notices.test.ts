import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { TaskEvent } from "../../src/core/apply-event.ts";
import { EventLog } from "../../src/core/event-log.ts";
import { Notices } from "../../src/core/notices.ts";
import type { Claim, PushConfig } from "../../src/core/ports/push-store.ts";
import type { EventNotice, TaskNotice } from "../../src/core/ports/webhooks.ts";
import type { Task } from "../../src/protocol/model.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { openStores, type Stores } from "../../src/store/knex/stores.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const AT = "2026-01-01T00:00:00.000Z";
const IDS = { taskId: "t", contextId: "c" };

const task: TaskEvent = {
  task: { id: "t", contextId: "c", status: { state: "TASK_STATE_SUBMITTED", timestamp: AT } },
};

function status(state: "WORKING" | "COMPLETED", text?: string): TaskEvent {
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: text ?? "" }] } as const;
  return {
    statusUpdate: {
      ...IDS,
      status: {
        state: `TASK_STATE_${state}`,
        timestamp: AT,
        ...(text !== undefined && { message }),
      },
    },
  };
}

function artifact(text: string, flags: { append?: true; lastChunk?: true } = {}): TaskEvent {
  const part = { artifactId: "a", parts: [{ text }] };
  return { artifactUpdate: { ...IDS, artifact: part, ...flags } };
}

function claimOf(config: Partial<PushConfig> = {}, claim: Partial<Claim> = {}): Claim {
  return {
    config: {
      taskId: "t",
      id: "h",
      agent: "echo",
      owner: "",
      url: "https://example.com/",
      token: undefined,
      authentication: undefined,
      version: "1.0",
      interest: "default",
      since: 0,
      createdAt: 0,
      ...config,
    },
    deliveries: [],
    isFirst: false,
    ...claim,
  };
}

function delivered(...generations: readonly number[]): Claim["deliveries"] {
  return generations.map((generation) => ({ generation, attempts: 0, createdAt: 0 }));
}

/** In short: `task WORKING one two`, of an event `event of task …`, `status WORKING`, `artifact one`. */
function shortOf(notice: EventNotice | TaskNotice | undefined): string | undefined {
  if (notice === undefined) return undefined;
  if ("task" in notice) return taskText(notice.task);
  const { response } = notice;
  if ("statusUpdate" in response) return `status ${response.statusUpdate.status.state.slice(11)}`;
  if ("task" in response) return `event of ${taskText(modelOf(response.task))}`;
  if (!("artifactUpdate" in response)) return undefined;
  const { artifact: told, lastChunk } = response.artifactUpdate;
  const texts = told.parts.map(({ text }) => text).join(" ");
  return `artifact ${texts}${lastChunk ? " (last)" : ""}`;
}

function taskText({ status: now, artifacts = [] }: Task): string {
  const texts = artifacts.flatMap(({ parts }) => parts.map(({ text }) => text));
  return ["task", now.state.slice(11), ...texts].join(" ");
}

describe("notices", () => {
  let stores: Stores;
  let reads: string[] = [];
  let notices: Notices;

  beforeEach(async () => {
    stores = await openStores({
      file: ":memory:",
      log: new RecordedLog(),
      now: Date.now,
      keys: [],
    });
    reads = [];
    const { archive } = stores;
    notices = new Notices({
      search: (query) => archive.search(query),
      find: (id) => archive.find(id),
      whose: (id) => archive.whose(id),
      entries(id, after, limit, bytes) {
        reads.push(`${id} after ${after}`);
        return archive.entries(id, after, limit, bytes);
      },
    });
  });
  afterEach(() => stores.close());

  async function happens(...events: readonly TaskEvent[]): Promise<void> {
    await happensTo("t", events);
  }

  async function happensTo(id: string, events: readonly TaskEvent[]): Promise<void> {
    const log = logOf(id);
    for (const event of events) log.append(event);
    await log.flushed();
  }

  /** Each event in a commit of its own. */
  async function happensSlowly(...events: readonly TaskEvent[]): Promise<void> {
    const log = logOf("t");
    for (const event of events) {
      log.append(event);
      await log.flushed();
    }
  }

  function logOf(id: string): EventLog {
    const key = { id, agent: "echo", owner: "", contextId: "c" };
    const listener = { committed: () => undefined, lost: assert.fail };
    return new EventLog({ key, store: stores.tasks, listener, sent: undefined });
  }

  const told = async (claim: Claim, generation: number): Promise<string | undefined> =>
    shortOf(await notices.event(claim, generation));
  const folded = async (claim: Claim, generation: number): Promise<string | undefined> =>
    shortOf(await notices.task(claim, generation));

  test("an event is told as it was written down, the task of the beginning included", async () => {
    await happens(task, status("WORKING"), artifact("one"), status("COMPLETED"));
    const claim = claimOf();
    const all = await Promise.all([1, 2, 3, 4].map((generation) => told(claim, generation)));
    assert.deepEqual(all, [
      "event of task SUBMITTED",
      "status WORKING",
      "artifact one",
      "status COMPLETED",
    ]);
  });

  test("the events of a claim are read together, as long as they are small", async () => {
    const large = artifact("x".repeat(100_000));
    await happensSlowly(task, status("WORKING"), artifact("one"), large, status("COMPLETED"));
    const claim = claimOf({}, { deliveries: delivered(1, 2, 3, 4, 5) });
    for (const generation of [1, 2, 3, 4, 5])
      assert.notEqual(await told(claim, generation), undefined);
    assert.deepEqual(reads, ["t after 0", "t after 4"]);
  });

  test("a task is told as the event of that generation left it", async () => {
    await happens(
      task,
      status("WORKING", "hm"),
      artifact("one"),
      artifact("two", { append: true }),
    );
    const claim = claimOf();
    const all: unknown[] = [];
    for (const generation of [1, 2, 3, 4]) all.push(await folded(claim, generation));
    assert.deepEqual(all, [
      "task SUBMITTED",
      "task WORKING",
      "task WORKING one",
      "task WORKING one two",
    ]);
    assert.equal(await folded(claim, 2), "task WORKING");
  });

  test("what was told does not change with later events", async () => {
    await happens(task, artifact("one"), artifact("two", { append: true }));
    const before = await notices.task(claimOf(), 2);
    await notices.task(claimOf(), 3);
    assert.equal(shortOf(before), "task SUBMITTED one");
  });

  test("the first delivery of a config that came later is the task, what follows are events", async () => {
    await happens(task, status("WORKING"), artifact("one"), status("COMPLETED"));
    const deliveries = delivered(3, 4);
    const claim = claimOf({ since: 2 }, { isFirst: true, deliveries });
    assert.equal(await told(claim, 3), "event of task WORKING one");
    assert.equal(await told(claim, 4), "status COMPLETED");
    const later = claimOf({ since: 2 }, { isFirst: false, deliveries });
    assert.equal(await told(later, 3), "artifact one");
    const early = claimOf({ since: 0 }, { isFirst: true, deliveries: delivered(2) });
    assert.equal(await told(early, 2), "status WORKING");
  });

  test("the last piece of an artifact is told as the whole, to those who hear of no pieces", async () => {
    await happens(
      task,
      artifact("one"),
      artifact("two", { append: true }),
      artifact("three", { append: true, lastChunk: true }),
    );
    assert.equal(await told(claimOf(), 4), "artifact one two three (last)");
    assert.equal(await told(claimOf({ interest: "all" }), 4), "artifact three (last)");
    assert.equal(await told(claimOf(), 2), "artifact one");
  });

  test("an artifact is told as it was with its last piece, though it was replaced since", async () => {
    await happens(
      task,
      artifact("one"),
      artifact("two", { append: true, lastChunk: true }),
      artifact("anew"),
    );
    assert.equal(await told(claimOf(), 3), "artifact one two (last)");
  });

  test("a log of many pages is read to its end", async () => {
    const chunks = Array.from({ length: 1700 }, (_, n) => artifact(`${n}`, { append: true }));
    await happens(task, ...chunks);
    const notice = await notices.task(claimOf(), 1701);
    assert.equal(notice?.task.artifacts?.[0]?.parts.length, 1700);
    assert.deepEqual(reads, ["t after 0", "t after 500", "t after 1000", "t after 1500"]);
  });

  test("the next event of a config reads on where the one before was", async () => {
    await happens(task, status("WORKING"), artifact("one"), status("COMPLETED"));
    const claim = claimOf({ version: "0.3" });
    for (const generation of [1, 3, 4]) await notices.task(claim, generation);
    assert.deepEqual(reads, ["t after 0", "t after 1", "t after 3"]);
    await notices.task(claim, 4);
    assert.deepEqual(reads.length, 3);
  });

  test("configs of one task do not get into each other's way", async () => {
    await happens(task, artifact("one"), artifact("two", { append: true }));
    const [ahead, behind] = [claimOf({ id: "ahead" }), claimOf({ id: "behind" })];
    assert.equal(await folded(ahead, 3), "task SUBMITTED one two");
    assert.equal(await folded(behind, 1), "task SUBMITTED");
    assert.equal(await folded(behind, 2), "task SUBMITTED one");
    assert.equal(await folded(ahead, 3), "task SUBMITTED one two");
  });

  test("where the log is gone, the task is told as it is now", async () => {
    await happens(task, status("WORKING"), artifact("one"), status("COMPLETED"));
    const { logs } = await stores.tasks.purge(
      { entriesBefore: Date.now(), finishedBefore: undefined, unfinishedBefore: undefined },
      10,
    );
    assert.equal(logs, 1);
    assert.equal(await told(claimOf(), 2), "event of task COMPLETED one");
    assert.equal(await folded(claimOf(), 3), "task COMPLETED one");
    const first = claimOf({ since: 2 }, { isFirst: true, deliveries: delivered(3) });
    assert.equal(await told(first, 3), "event of task COMPLETED one");
  });

  test("of a task that is gone nothing is told", async () => {
    assert.equal(await told(claimOf(), 1), undefined);
    assert.equal(await folded(claimOf(), 1), undefined);
  });

  test("the tasks that were read last are kept, some hundreds of them", async () => {
    await happens(task, artifact("one"));
    const reading = (n: number): Promise<unknown> => notices.task(claimOf({ id: `h${n}` }), 2);
    for (let n = 0; n < 257; n++) await reading(n);
    reads = [];
    await reading(256);
    await reading(1);
    assert.deepEqual(reads, []);
    await reading(0);
    assert.deepEqual(reads, ["t after 0"]);
  });

  test("of large tasks fewer are kept", async () => {
    await happens(task, artifact("x".repeat(6 * 1024 * 1024)));
    const reading = (n: number): Promise<unknown> => notices.task(claimOf({ id: `h${n}` }), 2);
    for (let n = 0; n < 3; n++) await reading(n);
    reads = [];
    await reading(2);
    await reading(1);
    assert.deepEqual(reads, []);
    await reading(0);
    assert.notDeepEqual(reads, []);
  });
});
