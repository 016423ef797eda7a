/** What every task archive must do, whatever the tasks are kept in. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { FoundTask, TaskArchive, TaskSearch } from "../../src/core/ports/task-search.ts";
import type { TaskChange, TaskStore } from "../../src/core/ports/task-store.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import {
  artifact,
  commitAll,
  completed,
  draft,
  entries,
  loadOf,
  message,
  newTask,
  next,
  stored,
  UNLIMITED,
} from "../store/changes.ts";

/** An archive and the store whose tasks are in it. */
export interface OpenTaskArchive {
  readonly tasks: TaskStore;
  readonly archive: TaskArchive;
  close(): Promise<void>;
}

export function taskArchiveContract(
  name: string,
  open: (now: () => number) => Promise<OpenTaskArchive>,
): void {
  describe(`${name} keeps the contract of a task archive`, () => {
    let clock = 0;
    let opened: OpenTaskArchive;
    let tasks: TaskStore;
    let archive: TaskArchive;
    beforeEach(async () => {
      clock = 5000;
      opened = await open(() => clock);
      ({ tasks, archive } = opened);
    });
    afterEach(() => opened.close());

    const idsFound = async (fields: Partial<TaskSearch>) =>
      (await archive.search(search(fields))).map(({ id }) => id);

    // ---- search -------------------------------------------------------------------------------------------------

    test("shows of a task what it is, not what was said in it", async () => {
      const upstream = { taskId: "far", contextId: "far-context" };
      const change = newTask({ agent: "a", owner: "o", contextId: "c", upstream });
      await commitAll(tasks, change);
      clock = 6000;
      await commitAll(tasks, next(change, { entries: entries(2, 4) }));
      const found: FoundTask = {
        id: change.id,
        agent: "a",
        owner: "o",
        contextId: "c",
        state: "TASK_STATE_WORKING",
        timestamp: 1000,
        createdAt: 5000,
        generation: 4,
        upstream,
      };
      assert.deepEqual(await archive.search(search()), [found]);
    });

    test("finds nothing where there is nothing", async () => {
      assert.deepEqual(await idsFound({}), []);
      await commitAll(tasks, newTask());
      assert.deepEqual(await idsFound({ agent: "other" }), []);
      assert.deepEqual(await idsFound({ id: "made-up" }), []);
    });

    test("says whose a task is, by its id here alone", async () => {
      const upstream = { taskId: "there", contextId: undefined };
      await commitAll(tasks, newTask({ id: "here", agent: "one", owner: "ann", upstream }));
      assert.deepEqual(await archive.whose("here"), { agent: "one", owner: "ann" });
      assert.equal(await archive.whose("there"), undefined);
      assert.equal(await archive.whose("made-up"), undefined);
    });

    test("puts the newest first, whoever's they are, and the greater id of two of one instant", async () => {
      const at = (id: string, agent: string, owner: string, timestamp: number) =>
        newTask({ id, agent, owner, status: { state: "TASK_STATE_WORKING", timestamp } });
      await commitAll(
        tasks,
        at("b", "one", "ann", 2000),
        at("a", "two", "ann", 2000),
        at("d", "one", "", 1000),
        at("c", "two", "bob", 3000),
      );
      assert.deepEqual(await idsFound({}), ["c", "b", "a", "d"]);
      assert.deepEqual(await idsFound({ limit: 2 }), ["c", "b"]);
      assert.deepEqual(await idsFound({ owner: "" }), ["d"]);
    });

    test("fills a page from many owners with one task each, and from one with many", async () => {
      const many = Array.from({ length: 20 }, (_, index) =>
        newTask({
          id: `many-${index}`,
          owner: `owner-${index}`,
          status: { state: "TASK_STATE_WORKING", timestamp: 1000 + index },
        }),
      );
      const own = Array.from({ length: 20 }, (_, index) =>
        newTask({
          id: `own-${index}`,
          owner: "busy",
          status: { state: "TASK_STATE_WORKING", timestamp: 1010 + index },
        }),
      );
      await commitAll(tasks, ...many, ...own);
      const expected = orderOf([...many, ...own], search({ limit: 25 }));
      assert.deepEqual(await idsFound({ limit: 25 }), expected);
    });

    test("finds a task by its id here or at its remote agent", async () => {
      const change = newTask({ id: "here", upstream: { taskId: "there", contextId: undefined } });
      const namesake = newTask({ id: "there", owner: "bob" });
      const twin = newTask({
        id: "twin",
        agent: "other",
        upstream: { taskId: "there", contextId: undefined },
      });
      await commitAll(tasks, change, namesake, twin, newTask());
      assert.deepEqual(await idsFound({ id: "here" }), ["here"]);
      assert.deepEqual(await idsFound({ id: "there" }), ["twin", "there", "here"]);
      assert.deepEqual(await idsFound({ id: "there", agent: "other" }), ["twin"]);
      const [found] = await archive.search(search({ id: "here" }));
      assert.deepEqual(found?.upstream, { taskId: "there", contextId: undefined });
    });

    test("applies every filter together with every other", async () => {
      const changes = mixedTasks(60);
      await Promise.all(changes.map((change) => tasks.commit(draft(change))));
      for (const fields of combinationsOf({
        agent: "agent-1",
        owner: "owner-0",
        contextId: "context-1",
        state: "TASK_STATE_FAILED",
        from: 1005,
        before: 1015,
        id: "far-1",
        after: { timestamp: 1012, id: "task-30" },
        limit: 3,
      })) {
        const query = search(fields);
        const found = (await archive.search(query)).map(({ id }) => id);
        assert.deepEqual(found, orderOf(changes, query), JSON.stringify(fields));
      }
    });

    for (const fields of [{}, { agent: "agent-2" }, { state: "TASK_STATE_FAILED" }] as const)
      test(`pages through ${JSON.stringify(fields)} once`, async () => {
        const changes = mixedTasks(60);
        await Promise.all(changes.map((change) => tasks.commit(draft(change))));
        const seen: string[] = [];
        for (let after: TaskSearch["after"]; ;) {
          const page = await archive.search(search({ ...fields, after, limit: 7 }));
          seen.push(...page.map(({ id }) => id));
          const last = page.at(-1);
          if (last === undefined) break;
          after = { timestamp: last.timestamp, id: last.id };
        }
        assert.deepEqual(seen, orderOf(changes, search({ ...fields, limit: 60 })));
      });

    test("sees a task as it is after every commit, and none that is gone", async () => {
      const change = newTask();
      await commitAll(tasks, change);
      assert.deepEqual(await idsFound({ state: "TASK_STATE_WORKING" }), [change.id]);
      await commitAll(tasks, completed(change, 2000));
      assert.deepEqual(await idsFound({ state: "TASK_STATE_WORKING" }), []);
      assert.deepEqual(await idsFound({ state: "TASK_STATE_COMPLETED", from: 2000 }), [change.id]);
      await tasks.purge({ ...UNLIMITED, finishedBefore: 3000 }, 10);
      assert.deepEqual(await idsFound({}), []);
      assert.equal(await archive.find(change.id), undefined);
    });

    test("answers while tasks are written", async () => {
      const changes = mixedTasks(300);
      const writes = Promise.all(changes.map((change) => tasks.commit(draft(change))));
      let written = false;
      void writes.finally(() => (written = true));
      while (!written) {
        await archive.search(search());
        await archive.find("task-1");
      }
      await writes;
      assert.equal((await archive.search(search({ limit: 1000 }))).length, 300);
    });

    // ---- find ---------------------------------------------------------------------------------------------------

    test("finds a task with everything in it, whoever's it is", async () => {
      const upstream = { taskId: "far", contextId: "far-context" };
      const first = newTask({
        upstream,
        snapshot: { history: [message("hi")], artifacts: [artifact("a")], metadata: { k: 1 } },
      });
      await commitAll(tasks, first);
      clock = 6000;
      await commitAll(tasks, next(first), next(next(first), { statusMessage: message("wait") }));
      const expected = await loadOf(tasks, first);
      assert.ok(expected);
      assert.deepEqual(await archive.find(first.id), {
        stored: expected,
        createdAt: 5000,
        upstream,
      });
      assert.equal(expected.tail.length, 2);
    });

    test("finds no task of an id that there is not, or only elsewhere", async () => {
      await commitAll(tasks, newTask({ upstream: { taskId: "far", contextId: undefined } }));
      assert.equal(await archive.find("made-up"), undefined);
      assert.equal(await archive.find("far"), undefined);
    });

    // ---- entries ------------------------------------------------------------------------------------------------

    test("gives the log piece by piece, wherever a commit began", async () => {
      const first = newTask({ entries: entries(1, 3) });
      const second = next(first, { entries: entries(4, 8) });
      await commitAll(tasks, first, second, next(second));
      const of = (after: number, limit: number) => archive.entries(first.id, after, limit);
      assert.deepEqual(await of(0, 100), stored(1, 9));
      for (let after = 0; after < 9; after++)
        for (const limit of [1, 2, 4])
          assert.deepEqual(
            await of(after, limit),
            stored(after + 1, Math.min(after + limit, 9)),
            `${limit} after ${after}`,
          );
      assert.deepEqual(await of(9, 5), []);
      assert.deepEqual(await of(99, 5), []);
    });

    test("gives large entries a few at a time", async () => {
      const text = JSON.stringify({ text: "x".repeat(3_000_000) });
      const large = (generation: number) => [{ generation, text, news: "status" as const }];
      let change = newTask({ entries: large(1) });
      await commitAll(tasks, change);
      for (let generation = 2; generation <= 5; generation++) {
        change = next(change, { entries: large(generation) });
        await commitAll(tasks, change);
      }
      const seen: number[] = [];
      for (let piece = await archive.entries(change.id, 0, 10); piece && piece.length > 0;) {
        assert.ok(piece.length < 5, "not all of them together");
        seen.push(...piece.map(({ generation }) => generation));
        piece = await archive.entries(change.id, seen.at(-1) ?? 0, 10);
      }
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    });

    test("gives no more than was asked for, but for the one that is past it", async () => {
      const first = newTask({ entries: entries(1, 1) });
      const second = next(first, { entries: entries(2, 2) });
      await commitAll(tasks, first, second, next(second));
      const sizes = [1, 1_000].map(async (bytes) =>
        (await archive.entries(first.id, 0, 10, bytes))?.map(({ generation }) => generation),
      );
      assert.deepEqual(await Promise.all(sizes), [[1], [1, 2, 3]]);
    });

    test("has no entries of a task whose log is gone, and none of a task that is not there", async () => {
      const change = newTask();
      await commitAll(tasks, change, completed(change, 2000));
      await tasks.purge({ ...UNLIMITED, entriesBefore: 3000 }, 10);
      assert.equal(await archive.entries(change.id, 0, 10), undefined);
      assert.deepEqual(await archive.entries(change.id, 2, 10), []);
      assert.equal(await archive.entries("made-up", 0, 10), undefined);
      const [found] = await archive.search(search());
      assert.equal(found?.generation, 2);
    });
  });
}

/** The first 50 of all tasks. */
function search(fields: Partial<TaskSearch> = {}): TaskSearch {
  return {
    agent: undefined,
    owner: undefined,
    contextId: undefined,
    state: undefined,
    from: undefined,
    before: undefined,
    id: undefined,
    after: undefined,
    limit: 50,
    ...fields,
  };
}

const STATES: readonly TaskState[] = [
  "TASK_STATE_WORKING",
  "TASK_STATE_FAILED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
];

/** Tasks in whose fields the same few values come together in many ways, several of them at each instant. */
function mixedTasks(count: number): readonly TaskChange[] {
  return Array.from({ length: count }, (_, index) => {
    const mixed = (index * 7919) % 1009;
    return newTask({
      id: `task-${index}`,
      agent: `agent-${mixed % 3}`,
      owner: `owner-${mixed % 2}`,
      contextId: `context-${mixed % 4}`,
      status: { state: STATES[mixed % 5] ?? "TASK_STATE_FAILED", timestamp: 1000 + (mixed % 20) },
      upstream: index % 2 === 0 ? { taskId: `far-${mixed % 3}`, contextId: undefined } : undefined,
    });
  });
}

/** Some of the fields, in each way to choose from them. */
function combinationsOf(fields: Partial<TaskSearch>): readonly Partial<TaskSearch>[] {
  const all = Object.entries(fields);
  return Array.from({ length: 2 ** all.length }, (_, bits) =>
    Object.fromEntries(all.filter((_field, index) => (bits & (1 << index)) !== 0)),
  );
}

/** The ids that a search is to answer. */
function orderOf(changes: readonly TaskChange[], query: TaskSearch): readonly string[] {
  return changes
    .filter((change) => fits(change, query))
    .sort(
      (one, other) => other.status.timestamp - one.status.timestamp || (one.id < other.id ? 1 : -1),
    )
    .slice(0, query.limit)
    .map(({ id }) => id);
}

function fits({ id, agent, owner, contextId, status, upstream }: TaskChange, query: TaskSearch) {
  const { state, timestamp } = status;
  const { after } = query;
  return (
    (query.agent ?? agent) === agent &&
    (query.owner ?? owner) === owner &&
    (query.contextId ?? contextId) === contextId &&
    (query.state ?? state) === state &&
    (query.from ?? timestamp) <= timestamp &&
    (query.before ?? Infinity) > timestamp &&
    (query.id === undefined || query.id === id || query.id === upstream?.taskId) &&
    (after === undefined ||
      timestamp < after.timestamp ||
      (timestamp === after.timestamp && id < after.id))
  );
}
