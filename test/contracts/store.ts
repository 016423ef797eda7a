/** What every task store must do, whatever it keeps its tasks in. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Upstream } from "../../src/core/ports/handler.ts";
import {
  ConflictError,
  FRAGMENT,
  type ListPosition,
  type ListQuery,
  type TaskChange,
  type TaskStore,
} from "../../src/core/ports/task-store.ts";
import { fragmentsOf, modelOf } from "../../src/protocol/ready-made.ts";
import {
  artifact,
  commitAll,
  completed,
  draft,
  entries,
  stored,
  idsOf,
  loadOf,
  message,
  newTask,
  next,
  query,
  UNLIMITED,
} from "../store/changes.ts";

/** Opens an empty store that takes the time from `now`. */
export type OpenStore = (now: () => number) => Promise<TaskStore>;

/** What a purge answers. */
const removed = (tasks: number, logs: number) => ({ tasks, logs });

export function storeContract(name: string, open: OpenStore): void {
  describe(`${name} keeps the contract of a task store`, () => {
    let store: TaskStore;
    let clock = 0;
    beforeEach(async () => {
      clock = 5000;
      store = await open(() => clock);
    });
    afterEach(() => store.close());

    const refused = (change: TaskChange) =>
      assert.rejects(store.commit(draft(change)), (thrown) => ConflictError.is(thrown));

    // ---- commit and load ----------------------------------------------------------------------------------------

    test("answers a commit with a snapshot with the task as a later load gives it", async () => {
      const change = newTask({
        entries: entries(1, 3),
        statusMessage: message("thinking"),
        snapshot: {
          history: [message("hi"), message('quote " and \u2028 and \ud83d\ude00')],
          artifacts: [artifact("a")],
          metadata: { key: [null, 1, "x"] },
        },
      });
      const written = await store.commit(draft(change));
      const loaded = await loadOf(store, change);
      assert.deepEqual(loaded, written);
      assert.equal(loaded?.generation, 3);
      assert.deepEqual(loaded.status, change.status);
      assert.deepEqual(modelOf(loaded.task), {
        id: change.id,
        contextId: "c1",
        status: {
          state: "TASK_STATE_WORKING",
          message: message("thinking"),
          timestamp: "1970-01-01T00:00:01.000Z",
        },
        metadata: { key: [null, 1, "x"] },
        history: change.snapshot?.history,
        artifacts: [artifact("a")],
      });
    });

    test("cuts the text of a task into its four fragments", async () => {
      const stored = await store.commit(draft(newTask({ id: "t1" })));
      assert.ok(stored);
      const fragments = fragmentsOf(stored.task).map(({ members }) => members);
      assert.equal(fragments.length, 4);
      assert.match(fragments[FRAGMENT.head] ?? "", /^"id":"t1","contextId":"c1","status":\{.*\}$/);
      assert.equal(fragments[FRAGMENT.metadata], "");
      assert.match(fragments[FRAGMENT.history] ?? "", /^"history":\[.*\]$/);
      assert.equal(fragments[FRAGMENT.artifacts], '"artifacts":[]');
    });

    test("keeps the newest status with the last snapshot and the entries since", async () => {
      const first = newTask({ entries: entries(1, 2) });
      const chunk = next(first, { entries: entries(3, 4) });
      const status = next(chunk, {
        status: { state: "TASK_STATE_WORKING", timestamp: 2000 },
        statusMessage: message("half way"),
      });
      const last = next(status);
      assert.ok(await store.commit(draft(first)));
      assert.equal(await store.commit(draft(chunk)), undefined);
      await commitAll(store, status, last);
      const loaded = await loadOf(store, first);
      assert.ok(loaded);
      assert.equal(loaded.generation, 6);
      assert.deepEqual(loaded.status, status.status);
      assert.deepEqual(loaded.tail, stored(3, 6));
      const task = modelOf(loaded.task);
      assert.deepEqual(task.status.message, message("half way"));
      assert.deepEqual(task.history, [message("hi")]);
    });

    test("has an empty tail after a snapshot", async () => {
      const first = newTask();
      const chunk = next(first);
      const snapshot = next(chunk, {
        snapshot: { history: [], artifacts: [artifact("x")], metadata: undefined },
      });
      await commitAll(store, first, chunk);
      assert.equal((await loadOf(store, first))?.tail.length, 1);
      const written = await store.commit(draft(snapshot));
      assert.deepEqual(await loadOf(store, first), written);
      await commitAll(store, next(snapshot));
      const loaded = await loadOf(store, first);
      assert.deepEqual(loaded?.tail, stored(4));
      assert.deepEqual(modelOf(loaded.task).artifacts, [artifact("x")]);
    });

    test("tells two status messages of one millisecond apart", async () => {
      const first = newTask({ statusMessage: message("one") });
      await commitAll(store, first, next(first, { statusMessage: message("two") }));
      const loaded = await loadOf(store, first);
      assert.ok(loaded);
      assert.deepEqual(modelOf(loaded.task).status.message, message("two"));
    });

    test("shows a task to its agent and its owner only", async () => {
      const change = newTask({ owner: "a:b" });
      await commitAll(store, change);
      for (const [agent, owner] of [
        ["echo", "a"],
        ["echo", ""],
        ["other", "a:b"],
        ["echo:a", "b"],
      ] as const) {
        assert.equal(await store.load(agent, owner, change.id), undefined);
        assert.equal((await store.list(query({ agent, owner }))).total, 0);
      }
      assert.equal(await store.load("echo", "a:b", "made-up"), undefined);
      assert.ok(await loadOf(store, change));
    });

    test("loads many tasks asked for at once, those that are not there too", async () => {
      const changes = Array.from({ length: 150 }, () => newTask());
      await Promise.all(changes.map((change) => store.commit(draft(change))));
      const asked = [...changes, newTask()];
      const loaded = await Promise.all(asked.map((change) => loadOf(store, change)));
      assert.deepEqual(
        loaded.map((task) => task?.id),
        [...changes.map(({ id }) => id), undefined],
      );
    });

    // ---- Group commit and conflicts -----------------------------------------------------------------------------

    test("takes a draft once, and not before its write is put together", async () => {
      let entriesSoFar = entries(1);
      let takes = 0;
      const change = newTask();
      const committed = store.commit({
        take() {
          takes += 1;
          return { ...change, entries: entriesSoFar };
        },
      });
      assert.equal(takes, 0);
      entriesSoFar = entries(1, 7);
      assert.equal((await committed)?.generation, 7);
      assert.equal(takes, 1);
    });

    test("fails a draft alone that throws when it is taken", async () => {
      const good = newTask();
      const bad = {
        take(): TaskChange {
          throw new Error("out of ideas");
        },
      };
      const results = await Promise.allSettled([store.commit(bad), store.commit(draft(good))]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["rejected", "fulfilled"],
      );
      assert.ok(await loadOf(store, good));
    });

    test("refuses a second task of one id", async () => {
      const change = newTask();
      await commitAll(store, change);
      await refused({ ...change, contextId: "other" });
      assert.equal((await loadOf(store, change))?.contextId, "c1");
      assert.equal((await store.list(query())).total, 1);
    });

    test("refuses a change of another generation than the store holds", async () => {
      const first = newTask({ entries: entries(1, 4) });
      await commitAll(store, first);
      for (const base of [1, 2, 3, 5]) {
        await refused(next(first, { base, entries: entries(base + 1) }));
        await refused({ ...completed(first, 2000), base, entries: entries(base + 1) });
      }
      assert.equal((await loadOf(store, first))?.generation, 4);
      assert.deepEqual(await store.entriesAfter(first.id, 0), stored(1, 4));
      await commitAll(store, next(first));
    });

    test("refuses whatever comes after a terminal state", async () => {
      for (const state of [
        "TASK_STATE_COMPLETED",
        "TASK_STATE_FAILED",
        "TASK_STATE_CANCELED",
        "TASK_STATE_REJECTED",
      ] as const) {
        const ended = newTask({ status: { state, timestamp: 1000 } });
        await commitAll(store, ended);
        await refused(next(ended));
        await refused(next(ended, { status: { state: "TASK_STATE_WORKING", timestamp: 2000 } }));
        await refused(completed(ended, 2000));
        assert.equal((await loadOf(store, ended))?.status.state, state);
      }
    });

    test("refuses a change of a task that is not there", async () => {
      await refused(next(newTask()));
      await refused(completed(newTask(), 2000));
    });

    test("commits what waits beside a conflict", async () => {
      const there = newTask();
      await commitAll(store, there);
      const chunk = next(there);
      const others = Array.from({ length: 20 }, () => newTask());
      const changes = [others[0] ?? there, there, ...others.slice(1), next(newTask()), chunk];
      const results = await Promise.allSettled(
        changes.map((change) => store.commit(draft(change))),
      );
      const rejected = changes.filter((_, index) => results[index]?.status === "rejected");
      assert.deepEqual(rejected, [changes[1], changes.at(-2)]);
      for (const other of others) assert.ok(await loadOf(store, other));
      assert.equal((await loadOf(store, there))?.generation, 2);
      assert.equal((await store.list(query())).total, 21);
    });

    test("lets one of two successors of a generation win", async () => {
      const first = newTask();
      await commitAll(store, first);
      const ends = [completed(first, 2000), completed(first, 3000)];
      const results = await Promise.allSettled(ends.map((change) => store.commit(draft(change))));
      assert.deepEqual(
        results.map(({ status }) => status),
        ["fulfilled", "rejected"],
      );
      assert.equal((await loadOf(store, first))?.status.timestamp, 2000);
    });

    test("keeps every entry of 50 writers, in order", async () => {
      const write = async (): Promise<TaskChange> => {
        let change = newTask();
        await store.commit(draft(change));
        for (let turn = 0; turn < 10; turn++) {
          change = next(change, { entries: entries(turn * 3 + 2, turn * 3 + 4) });
          await store.commit(draft(change));
          await Promise.all([loadOf(store, change), store.list(query())]);
        }
        await store.commit(draft(completed(change, 2000)));
        return change;
      };
      const written = await Promise.all(Array.from({ length: 50 }, write));
      for (const change of written) {
        assert.deepEqual(await store.entriesAfter(change.id, 0), stored(1, 32));
        assert.equal((await loadOf(store, change))?.generation, 32);
      }
      const done = await store.list(query({ state: "TASK_STATE_COMPLETED" }));
      assert.equal(done.total, 50);
    });

    // ---- The log --------------------------------------------------------------------------------------------------

    test("gives the entries after any generation, whatever commits they came in", async () => {
      const first = newTask({ entries: entries(1, 3) });
      const second = next(first, { entries: entries(4, 4) });
      const third = next(second, { entries: entries(5, 9) });
      await commitAll(store, first, second, third);
      for (let generation = 0; generation < 9; generation++)
        assert.deepEqual(await store.entriesAfter(first.id, generation), stored(generation + 1, 9));
      assert.deepEqual(await store.entriesAfter(first.id, 9), []);
      assert.equal(await store.entriesAfter("made-up", 0), undefined);
    });

    test("says so when the log no longer reaches back", async () => {
      const ended = newTask({ status: { state: "TASK_STATE_COMPLETED", timestamp: 1000 } });
      const working = newTask();
      await commitAll(store, ended, working);
      assert.deepEqual(await store.purge({ ...UNLIMITED, entriesBefore: 1000 }, 10), removed(0, 0));
      assert.deepEqual(await store.entriesAfter(ended.id, 0), stored(1));
      assert.deepEqual(await store.purge({ ...UNLIMITED, entriesBefore: 1001 }, 10), removed(0, 1));
      assert.equal(await store.entriesAfter(ended.id, 0), undefined);
      assert.deepEqual(await store.entriesAfter(ended.id, 1), []);
      assert.deepEqual(await store.entriesAfter(working.id, 0), stored(1));
      assert.ok(await loadOf(store, ended));
    });

    test("purges the log of a task that ends with an instant that was purged before", async () => {
      const limits = { ...UNLIMITED, entriesBefore: 4000 };
      assert.deepEqual(await store.purge(limits, 10), removed(0, 0));
      const late = newTask({ status: { state: "TASK_STATE_FAILED", timestamp: 1000 } });
      await commitAll(store, late);
      assert.deepEqual(await store.purge(limits, 10), removed(0, 1));
      assert.deepEqual(await store.purge(limits, 10), removed(0, 0));
      assert.equal(await store.entriesAfter(late.id, 0), undefined);
    });

    // ---- Lists ------------------------------------------------------------------------------------------------------

    /** Every page from the start to the end. */
    const walk = async (fields: Partial<ListQuery>, between?: () => Promise<void>) => {
      const ids: string[] = [];
      let after: ListPosition | undefined;
      for (;;) {
        const page = await store.list(query({ ...fields, after }));
        ids.push(...idsOf(page.tasks));
        after = page.positions.at(-1);
        if (!page.more || after === undefined) return ids;
        await between?.();
      }
    };

    const atEachOf = async (...timestamps: readonly number[]) => {
      const changes = timestamps.map((timestamp, index) =>
        newTask({ id: `t${index}`, status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp } }),
      );
      await commitAll(store, ...changes);
      return changes;
    };

    test("lists the newest status first, equal instants by id", async () => {
      await atEachOf(1000, 3000, 2000, 2000, 2000, 1000);
      const expected = ["t1", "t4", "t3", "t2", "t5", "t0"];
      for (const limit of [1, 2, 3, 6, 50])
        assert.deepEqual(await walk({ limit }), expected, `limit ${limit}`);
    });

    test("says whether there are more, and how many there are in all", async () => {
      await atEachOf(1, 2, 3);
      const first = await store.list(query({ limit: 2 }));
      assert.deepEqual([first.tasks.length, first.more, first.total], [2, true, 3]);
      const after = { timestamp: 2, id: "t1" };
      const rest = await store.list(query({ limit: 2, after }));
      assert.deepEqual([rest.tasks.length, rest.more, rest.total], [1, false, 3]);
      const exact = await store.list(query({ limit: 3 }));
      assert.deepEqual([exact.tasks.length, exact.more], [3, false]);
      const none = await store.list(query({ owner: "bob" }));
      assert.deepEqual(none, { tasks: [], positions: [], more: false, total: 0 });
    });

    test("filters by state, context and instant, alone and together", async () => {
      const states = ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"] as const;
      const changes = Array.from({ length: 60 }, (_, index) =>
        newTask({
          contextId: `c${index % 3}`,
          status: {
            state: states[index % 2] ?? "TASK_STATE_WORKING",
            timestamp: 10_000_000 * (index % 10),
          },
        }),
      );
      await commitAll(store, ...changes);
      for (const state of [undefined, states[1]])
        for (const contextId of [undefined, "c2"])
          for (const from of [undefined, 0, 30_000_000, 30_000_001, 90_000_000, 90_000_001]) {
            const expected = changes
              .filter(
                ({ status, contextId: context }) =>
                  (state ?? status.state) === status.state &&
                  (contextId ?? context) === context &&
                  status.timestamp >= (from ?? 0),
              )
              .map(({ id }) => id);
            const fields = { state, contextId, from, limit: 7 };
            assert.deepEqual((await walk(fields)).sort(), expected.sort(), JSON.stringify(fields));
            assert.equal((await store.list(query(fields))).total, expected.length);
          }
    });

    test("shows unaffected tasks once while others move between pages", async () => {
      const changes = await atEachOf(1000, 2000, 3000, 4000, 5000, 6000);
      let moved = changes[0];
      const ids = await walk({ limit: 2 }, async () => {
        if (moved === undefined) return;
        await commitAll(
          store,
          next(moved, { status: { state: "TASK_STATE_WORKING", timestamp: 9000 } }),
        );
        moved = undefined;
      });
      assert.deepEqual(ids, ["t5", "t4", "t3", "t2", "t1"]);
      assert.deepEqual(await walk({ from: 6001 }), ["t0"]);
    });

    test("goes on from a position whose task is gone", async () => {
      await atEachOf(1000, 2000, 3000, 4000);
      const after = { timestamp: 2000, id: "t1" };
      await store.purge({ ...UNLIMITED, unfinishedBefore: 2001 }, 10);
      const page = await store.list(query({ after: { timestamp: 3000, id: "t2" } }));
      assert.deepEqual(page, { tasks: [], positions: [], more: false, total: 2 });
      assert.deepEqual(idsOf((await store.list(query({ after }))).tasks), []);
      const between = { timestamp: 3500, id: "gone" };
      assert.deepEqual(idsOf((await store.list(query({ after: between }))).tasks), ["t2"]);
    });

    test("lists a task with its newest status and its tail", async () => {
      const first = newTask();
      const status = next(first, {
        status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: 7000 },
      });
      await commitAll(store, first, status, next(status));
      const { tasks } = await store.list(query());
      assert.deepEqual(tasks, [await loadOf(store, first)]);
      assert.deepEqual(tasks[0]?.tail, stored(2, 3));
      assert.equal((await store.list(query({ state: "TASK_STATE_WORKING" }))).total, 0);
      assert.equal((await store.list(query({ state: "TASK_STATE_INPUT_REQUIRED" }))).total, 1);
    });

    // ---- Taking up work, repeated messages -----------------------------------------------------------------------

    test("finds the tasks at work, oldest first, in pages", async () => {
      const states = [
        "TASK_STATE_SUBMITTED",
        "TASK_STATE_WORKING",
        "TASK_STATE_INPUT_REQUIRED",
        "TASK_STATE_AUTH_REQUIRED",
        "TASK_STATE_COMPLETED",
        "TASK_STATE_UNSPECIFIED",
      ] as const;
      const changes = Array.from({ length: 18 }, (_, index) =>
        newTask({
          id: `t${String(index).padStart(2, "0")}`,
          owner: `owner ${index}`,
          status: { state: states[index % 6] ?? "TASK_STATE_WORKING", timestamp: 9000 - index },
        }),
      );
      await Promise.all(changes.map((change) => store.commit(draft(change))));
      await commitAll(store, next(changes[1] ?? newTask()));
      const first = await store.running(4, undefined);
      assert.deepEqual(idsOf(first), ["t00", "t01", "t06", "t07"]);
      assert.deepEqual(first[1]?.tail, stored(2));
      assert.deepEqual(idsOf(await store.running(4, "t07")), ["t12", "t13"]);
      assert.deepEqual(await store.running(4, "t13"), []);
    });

    test("finds the task that a message opened, within the time asked for", async () => {
      const sent = { messageId: "m1", fingerprint: "f1" };
      const change = newTask({ sent });
      await commitAll(store, change);
      const found = { taskId: change.id, fingerprint: "f1" };
      assert.deepEqual(await store.findSent("echo", "ann", "m1", 5000), found);
      assert.equal(await store.findSent("echo", "ann", "m1", 5001), undefined);
      assert.equal(await store.findSent("echo", "bob", "m1", 0), undefined);
      assert.equal(await store.findSent("other", "ann", "m1", 0), undefined);
      clock = 8000;
      const again = newTask({ sent: { messageId: "m1", fingerprint: "f2" } });
      await commitAll(store, again);
      const newer = { taskId: again.id, fingerprint: "f2" };
      assert.deepEqual(await store.findSent("echo", "ann", "m1", 8000), newer);
    });

    test("keeps where tasks live at a remote agent, and what they are told later", async () => {
      const here = newTask();
      const there = newTask({ upstream: { taskId: "u1", contextId: "uc1" } });
      const moved = newTask();
      await commitAll(store, here, there, moved);
      const upstream = { taskId: "u2", contextId: undefined };
      const status = { state: "TASK_STATE_COMPLETED", timestamp: 2000 } as const;
      await commitAll(store, next(moved, { upstream }), next(there, { status }));
      const ids = [here.id, there.id, moved.id, "nobody"];
      assert.deepEqual(
        await store.upstreamsOf(ids),
        new Map<string, Upstream>([
          [there.id, { taskId: "u1", contextId: "uc1" }],
          [moved.id, upstream],
        ]),
      );
      assert.deepEqual(await store.upstreamsOf([]), new Map());
    });

    // ---- Purge --------------------------------------------------------------------------------------------------------

    test("purges ended and waiting tasks, each by its own limit, in batches", async () => {
      const of = (state: TaskChange["status"]["state"], timestamp: number, id: string) =>
        newTask({ id, status: { state, timestamp }, sent: { messageId: id, fingerprint: "f" } });
      await commitAll(
        store,
        of("TASK_STATE_COMPLETED", 1000, "old-ended"),
        of("TASK_STATE_FAILED", 1500, "old-failed"),
        of("TASK_STATE_COMPLETED", 3000, "new-ended"),
        of("TASK_STATE_INPUT_REQUIRED", 1000, "old-waiting"),
        of("TASK_STATE_WORKING", 2500, "new-working"),
      );
      const limits = { ...UNLIMITED, finishedBefore: 3000, unfinishedBefore: 2000 };
      assert.deepEqual(await store.purge(limits, 2), removed(2, 0));
      assert.deepEqual(await store.purge(limits, 2), removed(1, 0));
      assert.deepEqual(await store.purge(limits, 2), removed(0, 0));
      for (const id of ["old-ended", "old-failed", "old-waiting"]) {
        assert.equal(await store.load("echo", "ann", id), undefined);
        assert.equal(await store.entriesAfter(id, 0), undefined);
        assert.equal(await store.findSent("echo", "ann", id, 0), undefined);
      }
      const page = await store.list(query());
      assert.deepEqual(idsOf(page.tasks), ["new-ended", "new-working"]);
      assert.equal(page.total, 2);
      assert.equal((await store.list(query({ from: 1000 }))).total, 2);
      await refused(next(of("TASK_STATE_INPUT_REQUIRED", 1000, "old-waiting")));
    });

    test("keeps a task whose turn is under way, however old its status is", async () => {
      const tasks = (["SUBMITTED", "WORKING", "INPUT_REQUIRED", "AUTH_REQUIRED"] as const).map(
        (state) => newTask({ id: state, status: { state: `TASK_STATE_${state}`, timestamp: 1 } }),
      );
      await commitAll(store, ...tasks);
      const limits = { entriesBefore: 5000, finishedBefore: 5000, unfinishedBefore: 5000 };
      assert.deepEqual(await store.purge(limits, 10), removed(2, 0));
      assert.deepEqual(idsOf((await store.list(query())).tasks).sort(), ["SUBMITTED", "WORKING"]);
    });

    test("counts tasks and logs apart, and both against the batch", async () => {
      const ended = (id: string, timestamp: number) =>
        newTask({ id, status: { state: "TASK_STATE_COMPLETED", timestamp } });
      await commitAll(store, ended("a", 1000), ended("b", 2000), ended("c", 2001));
      const limits = { ...UNLIMITED, finishedBefore: 1500, entriesBefore: 3000 };
      assert.deepEqual(await store.purge(limits, 2), removed(1, 1));
      assert.deepEqual(await store.purge(limits, 2), removed(0, 1));
    });

    // ---- The end ------------------------------------------------------------------------------------------------------

    test("answers a ping", () => store.ping());

    test("waits for commits under way when it closes, and refuses later ones", async () => {
      const closing = await open(() => clock);
      const commits = Array.from({ length: 700 }, () => closing.commit(draft(newTask())));
      await closing.close();
      for (const stored of await Promise.all(commits)) assert.ok(stored);
      await assert.rejects(closing.commit(draft(newTask())));
      await assert.rejects(closing.ping());
    });
  });
}
