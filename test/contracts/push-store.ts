/** What every store of webhooks must do, whatever it keeps them in, together with the store of their tasks. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type {
  DeliveryControl,
  DeliveryQuery,
  DeliveryRecord,
  DeliveryState,
  Outbox,
  PushConfig,
  PushConfigStore,
} from "../../src/core/ports/push-store.ts";
import type { TaskChange, TaskStore } from "../../src/core/ports/task-store.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { commitAll, completed, draft, newTask, next, UNLIMITED } from "../store/changes.ts";
import {
  deliveryQuery,
  DELIVERED,
  EVERYTHING_DEAD,
  everything,
  generationsOf,
  newsOf,
  scopeOf,
  settled,
  webhook,
} from "../store/push-support.ts";

interface Stores {
  readonly tasks: TaskStore;
  readonly configs: PushConfigStore;
  readonly outbox: Outbox;
  readonly control: DeliveryControl;
  close(): Promise<void>;
}

/** Opens empty stores that take the time from `now`. */
export type OpenStores = (now: () => number) => Promise<Stores>;

export function pushStoreContract(name: string, open: OpenStores): void {
  describe(`${name} keeps the contract of a store of webhooks`, () => {
    let stores: Stores;
    let clock = 0;
    beforeEach(async () => {
      clock = 5000;
      stores = await open(() => clock);
    });
    afterEach(() => stores.close());

    const put = (config: PushConfig, limit = 10) => stores.configs.put(config, limit);
    const claim = () => stores.outbox.claim(everything(clock));
    const deliveries = (state: DeliveryState, taskId?: string) =>
      stores.control.deliveries(deliveryQuery({ state, taskId }));

    /** A new task that is committed together with a webhook. */
    async function watchedTask(fields: Partial<PushConfig> = {}): Promise<TaskChange> {
      const task = newTask();
      await commitAll(stores.tasks, { ...task, pushConfigs: [webhook(task, fields)] });
      return task;
    }

    const refused = (reason: string) => (thrown: unknown) =>
      A2AError.is(thrown) && thrown.reason === reason;

    // ---- configs ------------------------------------------------------------------------------------------------

    test("keeps a webhook with all its fields, as of the newest generation", async () => {
      const task = newTask();
      await commitAll(stores.tasks, task, next(task));
      const config = webhook(task, {
        token: "t",
        authentication: { scheme: "Bearer", credentials: "c" },
        version: "0.3",
        interest: "all",
      });
      const kept = await put(config);
      assert.deepEqual(kept, { ...config, since: 2, createdAt: 5000 });
      assert.deepEqual(await stores.configs.find(scopeOf(task), "hook"), kept);
      assert.deepEqual(await stores.configs.list(scopeOf(task), undefined, 10), [kept]);
    });

    test("keeps a webhook that comes with a new task, and one that comes with a turn", async () => {
      const task = await watchedTask({ token: "secret" });
      const turn = next(task);
      const second = webhook(turn, { id: "second" });
      await commitAll(stores.tasks, { ...turn, pushConfigs: [second] });
      const first = webhook(task, { token: "secret" });
      assert.deepEqual(await stores.configs.list(scopeOf(task), undefined, 10), [first, second]);
    });

    test("keeps no webhook of a change that is refused, and no delivery", async () => {
      const task = newTask();
      await commitAll(stores.tasks, task);
      const late = { ...next(task), base: 7, pushConfigs: [webhook(task)] };
      const [refusal] = await Promise.allSettled([
        stores.tasks.commit(draft(late)),
        stores.tasks.commit(draft(newTask())),
      ]);
      assert.equal(refusal.status, "rejected");
      assert.deepEqual(await stores.configs.list(scopeOf(task), undefined, 10), []);
      await commitAll(stores.tasks, next(task));
      assert.deepEqual(await claim(), []);
    });

    test("keeps texts verbatim, whatever they hold", async () => {
      const odd = "ünï \u0000 \u001f \n \"' ? :x [1] \u{1f600}";
      const task = newTask({ owner: odd });
      const first = webhook(task, { id: odd, token: odd, url: `https://example.com/${odd}` });
      await commitAll(stores.tasks, { ...task, pushConfigs: [first] });
      assert.deepEqual(await stores.configs.find(scopeOf(task), odd), first);
      const [taken] = await claim();
      assert.deepEqual(taken?.config, first);
      const dead = { kind: "dead", problem: odd } as const;
      await stores.outbox.settle([settled(taken, dead)], clock);
      const query = deliveryQuery({ taskId: task.id, configId: odd });
      const [record] = await stores.control.deliveries(query);
      assert.deepEqual([record?.problem, record?.owner, record?.url], [odd, odd, first.url]);
      assert.equal(await stores.control.redrive({ ...EVERYTHING_DEAD, configId: odd }), 1);
      await stores.configs.remove(scopeOf(task), odd);
      assert.deepEqual(await stores.configs.list(scopeOf(task), undefined, 10), []);
    });

    test("refuses a webhook of a task that is not there, or is another's", async () => {
      const task = newTask();
      await assert.rejects(put(webhook(task)), refused("TASK_NOT_FOUND"));
      await commitAll(stores.tasks, task);
      for (const wrong of [{ agent: "other" }, { owner: "bob" }])
        await assert.rejects(put(webhook(task, wrong)), refused("TASK_NOT_FOUND"));
    });

    test("refuses more webhooks than the limit, however many come at once", async () => {
      const task = newTask();
      await commitAll(stores.tasks, task);
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => put(webhook(task, { id: `h${index}` }), 3)),
      );
      const failures = results.filter(({ status }) => status === "rejected");
      assert.equal(failures.length, 7);
      assert.ok(
        results.every((it) => it.status !== "rejected" || refused("INVALID_PARAMS")(it.reason)),
      );
      const [first] = await stores.configs.list(scopeOf(task), undefined, 10);
      assert.ok(first);
      await put({ ...first, url: "https://example.com/other" }, 3);
    });

    test("lists webhooks in the order of their ids, in pages, to their owner alone", async () => {
      const task = newTask();
      await commitAll(stores.tasks, task);
      for (const id of ["c", "a", "d", "b"]) await put(webhook(task, { id }));
      const page = async (after: string | undefined) =>
        (await stores.configs.list(scopeOf(task), after, 3)).map(({ id }) => id);
      assert.deepEqual(await page(undefined), ["a", "b", "c"]);
      assert.deepEqual(await page("c"), ["d"]);
      for (const wrong of [{ agent: "other" }, { owner: "bob" }]) {
        const scope = { ...scopeOf(task), ...wrong };
        assert.deepEqual(await stores.configs.list(scope, undefined, 10), []);
        assert.equal(await stores.configs.find(scope, "a"), undefined);
        await stores.configs.remove(scope, "a");
      }
      assert.equal((await stores.configs.list(scopeOf(task), undefined, 10)).length, 4);
    });

    test("replaces a webhook of the same id, and sends to the new address what is due", async () => {
      const task = await watchedTask();
      const [first] = await claim();
      assert.ok(first);
      const retry = { kind: "retry", at: 9_000_000, problem: "no answer" } as const;
      await stores.outbox.settle([settled(first, retry)], clock);
      assert.deepEqual(await claim(), []);
      const kept = await put(webhook(task, { url: "https://example.com/new", token: "new" }));
      assert.equal(kept.since, 1);
      const [second] = await claim();
      assert.deepEqual(second?.config, kept);
      assert.deepEqual(second?.deliveries, [{ generation: 1, attempts: 0, createdAt: 5000 }]);
      assert.equal((await stores.configs.list(scopeOf(task), undefined, 10)).length, 1);
    });

    test("writes nothing of what became of a claim whose webhook was replaced or removed", async () => {
      for (const change of [
        (task: TaskChange) => put(webhook(task, { url: "https://example.com/new" })),
        (task: TaskChange) => stores.configs.remove(scopeOf(task), "hook"),
      ]) {
        const task = await watchedTask();
        const [taken] = await claim();
        assert.ok(taken);
        await change(task);
        await stores.outbox.settle([settled(taken, { kind: "gone", problem: "410" })], clock);
        assert.deepEqual(await deliveries("dead"), []);
        for (const again of await claim()) await stores.outbox.settle([settled(again)], clock);
      }
    });

    test("gives out nothing with the new address until the claim of the old one has ended", async () => {
      const task = await watchedTask();
      const replaced = webhook(task, { url: "https://example.com/new" });
      for (const replace of [
        () => put(replaced),
        () => commitAll(stores.tasks, { ...next(task), pushConfigs: [replaced] }),
        async () => {
          await stores.configs.remove(scopeOf(task), "hook");
          await put(replaced);
          await commitAll(stores.tasks, next(next(task)));
        },
      ]) {
        const [old] = await claim();
        assert.ok(old);
        await replace();
        assert.deepEqual(await claim(), []);
        await stores.outbox.settle([settled(old, { kind: "gone", problem: "410" })], clock);
        const [renewed] = await claim();
        assert.equal(renewed?.config.url, "https://example.com/new");
        assert.equal(renewed.isFirst, true);
        await stores.outbox.settle([{ key: renewed.config, outcomes: new Map() }], clock);
      }
    });

    test("forgets a removed webhook and what it was to be told; removing it again is fine", async () => {
      const task = await watchedTask();
      await stores.configs.remove(scopeOf(task), "hook");
      await stores.configs.remove(scopeOf(task), "hook");
      await commitAll(stores.tasks, next(task));
      assert.deepEqual(await claim(), []);
      assert.equal(await stores.outbox.nextDueAt(), undefined);
      assert.deepEqual(await stores.control.deliveries(deliveryQuery()), []);
    });

    // ---- what is due --------------------------------------------------------------------------------------------

    test("tells a webhook what happens after it came, and what came with it", async () => {
      const task = newTask();
      await commitAll(stores.tasks, task, next(task));
      await put(webhook(task));
      const third = next(next(task));
      await commitAll(stores.tasks, third, next(third));
      assert.deepEqual(generationsOf(await claim()), [[3, 4]]);
      await watchedTask();
      assert.deepEqual(generationsOf(await claim()), [[1]]);
    });

    test("leaves out entries of a change that were there before its webhook", async () => {
      const task = newTask();
      const turn = next(task, { entries: newsOf(2, "status", "status", "status") });
      await commitAll(stores.tasks, task, { ...turn, pushConfigs: [webhook(task, { since: 3 })] });
      assert.deepEqual(generationsOf(await claim()), [[4]]);
    });

    test("tells each webhook what it wants to hear", async () => {
      const task = newTask();
      const news = newsOf(1, "status", "piece", "artifact", "piece", "status");
      const pushConfigs = (["all", "default", "status"] as const).map((interest) =>
        webhook(task, { id: interest, interest }),
      );
      await commitAll(stores.tasks, { ...task, entries: news, pushConfigs });
      const claims = await claim();
      const told = claims.map(({ config, deliveries }) => [config.id, deliveries.length]);
      assert.deepEqual(Object.fromEntries(told), { all: 5, default: 3, status: 2 });
    });

    test("has every event due that is committed after a webhook is put, none from before", async () => {
      for (let round = 0; round < 20; round++) {
        const task = newTask();
        await commitAll(stores.tasks, task);
        let newest = task;
        let done = false;
        const writing = (async () => {
          while (!done) await commitAll(stores.tasks, (newest = next(newest)));
        })();
        const { since } = await put(webhook(task));
        const atLeast = newest.base;
        done = true;
        await writing;
        await commitAll(stores.tasks, next(newest));
        const [told = []] = generationsOf(await claim());
        assert.ok(since <= atLeast + 1);
        const last = newest.base + 2;
        assert.deepEqual(
          told,
          Array.from({ length: last - since }, (_, index) => since + 1 + index),
        );
      }
    });

    test("wakes the listener after a commit that has something to tell, not for others", async () => {
      let woken = 0;
      stores.outbox.onDue(() => woken++);
      const quiet = newTask();
      await commitAll(stores.tasks, quiet, next(quiet));
      await put(webhook(quiet));
      assert.equal(woken, 0);
      await commitAll(stores.tasks, next(next(quiet)));
      assert.equal(woken, 1);
      assert.deepEqual(generationsOf(await claim()), [[3]]);
    });

    test("wakes the listener for a webhook that comes with a task or a turn", async () => {
      let woken = 0;
      stores.outbox.onDue(() => woken++);
      const task = await watchedTask();
      assert.equal(woken, 1);
      const [first] = await claim();
      assert.ok(first);
      const retry = { kind: "retry", at: 9_000_000, problem: "503" } as const;
      await stores.outbox.settle([settled(first, retry)], clock);
      const turn = next(task);
      const moved = webhook(turn, { url: "https://example.com/moved" });
      await commitAll(stores.tasks, { ...turn, pushConfigs: [moved] });
      assert.equal(woken, 2);
      const [second] = await claim();
      assert.equal(second?.config.url, "https://example.com/moved");
      assert.deepEqual(generationsOf([second]), [[1, 2]]);
    });

    test("wakes no listener for a webhook that wants nothing of what it came with", async () => {
      let woken = 0;
      stores.outbox.onDue(() => woken++);
      const task = newTask({ entries: newsOf(1, "piece", "artifact") });
      const quiet = webhook(task, { interest: "status" });
      await Promise.all([
        stores.tasks.commit(draft({ ...task, pushConfigs: [quiet] })),
        stores.tasks.commit(draft(newTask())),
      ]);
      assert.equal(woken, 0);
      assert.equal(await stores.outbox.nextDueAt(), undefined);
      await commitAll(stores.tasks, next(task));
      assert.deepEqual(generationsOf(await claim()), [[3]]);
    });

    test("lets a listener take what is due while it is woken", async () => {
      const told = new Promise<number[][]>((resolve) => {
        stores.outbox.onDue(() => void claim().then((claims) => resolve(generationsOf(claims))));
      });
      await watchedTask();
      assert.deepEqual(await told, [[1]]);
    });

    // ---- claims -------------------------------------------------------------------------------------------------

    test("shows what a receiver that is gone is not told, now or later", async () => {
      const task = await watchedTask();
      await commitAll(stores.tasks, next(task));
      const [first] = await claim();
      assert.ok(first);
      const gone = { kind: "gone", problem: "410" } as const;
      await stores.outbox.settle([{ key: first.config, outcomes: new Map([[1, gone]]) }], clock);
      await commitAll(stores.tasks, next(next(task)));
      assert.deepEqual(
        (await deliveries("dead")).map(({ generation, attempts, problem }) => [
          generation,
          attempts,
          problem,
        ]),
        [
          [1, 1, "410"],
          [2, 0, "410"],
          [3, 0, "410"],
        ],
      );
    });

    // ---- control ------------------------------------------------------------------------------------------------

    test("shows deliveries without secrets, filtered, in order and in pages", async () => {
      for (const agent of ["echo", "other"])
        for (const taskId of ["t1", "t2"]) {
          const task = newTask({
            id: `${agent} ${taskId}`,
            agent,
            entries: newsOf(1, "status", "status"),
          });
          const pushConfigs = ["a", "b"].map((id) => webhook(task, { id, token: "secret" }));
          await commitAll(stores.tasks, { ...task, pushConfigs });
        }
      const taken = await stores.outbox.claim({ ...everything(clock), limit: 3, deliveries: 1 });
      const outcomes = [
        DELIVERED,
        { kind: "dead", problem: "404" },
        { kind: "retry", at: 8000, problem: "503" },
      ] as const;
      clock = 6000;
      await stores.outbox.settle(
        taken.map((each, index) => settled(each, outcomes[index])),
        clock,
      );
      const all = await stores.control.deliveries(deliveryQuery());
      const keys = all.map(
        ({ taskId, configId, generation }) => `${taskId} ${configId} ${generation}`,
      );
      assert.equal(keys.length, 16);
      assert.deepEqual(keys, [...keys].sort());
      assert.ok(!JSON.stringify(all).includes("secret"));
      const [dead] = await deliveries("dead");
      assert.deepEqual(dead, {
        taskId: dead?.taskId,
        configId: dead?.configId,
        agent: "echo",
        owner: "ann",
        url: "https://example.com/hook",
        generation: 1,
        state: "dead",
        attempts: 1,
        dueAt: 6000,
        createdAt: 5000,
        updatedAt: 6000,
        problem: "404",
      });
      const retried = all.filter(({ dueAt }) => dueAt === 8000);
      assert.deepEqual(
        retried.map(({ state, problem }) => [state, problem]),
        [
          ["due", "503"],
          ["due", undefined],
        ],
      );
      for (const query of [
        {},
        { state: "due" },
        { agent: "other" },
        { configId: "a" },
        { taskId: "echo t1" },
      ] as const) {
        const whole = await stores.control.deliveries(deliveryQuery(query));
        const paged: (typeof whole)[number][] = [];
        for (;;) {
          const last = paged.at(-1);
          const after = last && {
            taskId: last.taskId,
            id: last.configId,
            generation: last.generation,
          };
          const page = await stores.control.deliveries(
            deliveryQuery({ ...query, after, limit: 3 }),
          );
          if (page.length === 0) break;
          paged.push(...page);
        }
        assert.deepEqual(paged, whole);
        assert.deepEqual(whole, all.filter(fits(query)));
      }
    });

    test("shows every delivery in pages, whatever is in the ids and the states", async () => {
      const ids = ["\uffee", "\u{1f600}", "z", "\u00e9", "\ufffd"];
      const task = newTask();
      const pushConfigs = ids.map((id) => webhook(task, { id }));
      await commitAll(stores.tasks, { ...task, pushConfigs });
      const taken = await stores.outbox.claim(everything(clock));
      const emoji = taken.find(({ config }) => config.id === "\u{1f600}") ?? assert.fail();
      await stores.outbox.settle([settled(emoji)], clock);
      const found: string[] = [];
      for (let after: PageStart | undefined; ;) {
        const [record] = await stores.control.deliveries(deliveryQuery({ after, limit: 1 }));
        if (record === undefined) break;
        found.push(record.configId);
        after = { taskId: record.taskId, id: record.configId, generation: record.generation };
      }
      assert.deepEqual(found, ["z", "\u00e9", "\uffee", "\ufffd", "\u{1f600}"]);
    });

    test("counts what is due and dead, and says since when something is due", async () => {
      assert.deepEqual(await stores.control.counts(), { due: 0, dead: 0, oldestDueAt: undefined });
      const task = await watchedTask();
      clock = 6000;
      await commitAll(stores.tasks, next(task));
      await watchedTask();
      assert.deepEqual(await stores.control.counts(), { due: 3, dead: 0, oldestDueAt: 5000 });
      const [first] = await claim();
      assert.ok(first);
      await stores.outbox.settle([settled(first, { kind: "dead", problem: "404" })], clock);
      assert.deepEqual(await stores.control.counts(), { due: 1, dead: 2, oldestDueAt: 6000 });
    });

    test("makes dead deliveries due again with no attempts, those that fit", async () => {
      const tasks = [await watchedTask(), await watchedTask()];
      for (const task of tasks) await commitAll(stores.tasks, next(task));
      const dead = { kind: "dead", problem: "404" } as const;
      await stores.outbox.settle(
        (await claim()).map((each) => settled(each, dead)),
        clock,
      );
      let woken = 0;
      stores.outbox.onDue(() => woken++);
      const which = { ...EVERYTHING_DEAD, taskId: tasks[0]?.id, generation: 2 };
      assert.equal(await stores.control.redrive({ ...which, agent: "other" }), 0);
      assert.equal(woken, 0);
      assert.equal(await stores.control.redrive(which), 1);
      assert.equal(woken, 1);
      const [again] = await claim();
      assert.deepEqual(again?.deliveries, [{ generation: 2, attempts: 0, createdAt: 5000 }]);
      assert.ok(again);
      await stores.outbox.settle([settled(again)], clock);
      assert.equal(await stores.control.redrive(EVERYTHING_DEAD), 3);
      assert.deepEqual(
        generationsOf(await claim()).sort((one, other) => one.length - other.length),
        [[1], [1, 2]],
      );
      assert.equal(await stores.control.redrive(EVERYTHING_DEAD), 0);
      assert.deepEqual(await deliveries("dead"), []);
    });

    test("tries a receiver again that was gone when its deliveries are made due", async () => {
      const task = await watchedTask();
      const [first] = await claim();
      assert.ok(first);
      await stores.outbox.settle([settled(first, { kind: "gone", problem: "410" })], clock);
      assert.equal(await stores.control.redrive(EVERYTHING_DEAD), 1);
      await commitAll(stores.tasks, next(task));
      assert.deepEqual(generationsOf(await claim()), [[1, 2]]);
    });

    test("holds back what is due to a paused webhook until it is let go", async () => {
      const task = await watchedTask();
      const key = { taskId: task.id, id: "hook" };
      assert.equal(await stores.control.setPaused({ ...key, id: "none" }, true), false);
      assert.equal(await stores.control.setPaused(key, true), true);
      await commitAll(stores.tasks, next(task));
      assert.deepEqual(await claim(), []);
      assert.equal(await stores.outbox.nextDueAt(), undefined);
      let woken = 0;
      stores.outbox.onDue(() => woken++);
      assert.equal(await stores.control.setPaused(key, false), true);
      assert.equal(woken, 1);
      assert.deepEqual(generationsOf(await claim()), [[1, 2]]);
    });

    // ---- the life of tasks --------------------------------------------------------------------------------------

    test("keeps the webhook of a task that has ended, and tells it the end", async () => {
      const task = await watchedTask();
      await commitAll(stores.tasks, completed(task, 2000));
      assert.deepEqual(generationsOf(await claim()), [[1, 2]]);
      assert.ok(await stores.configs.find(scopeOf(task), "hook"));
      await put(webhook(task, { id: "late" }));
      assert.equal((await stores.configs.list(scopeOf(task), undefined, 10)).length, 2);
    });

    test("purges neither a task nor its log while a delivery of it is due", async () => {
      const task = await watchedTask();
      await commitAll(stores.tasks, completed(task, 2000));
      const limits = { ...UNLIMITED, entriesBefore: 3000, finishedBefore: 3000 };
      const nothing = { tasks: 0, logs: 0 };
      assert.deepEqual(await stores.tasks.purge(limits, 10), nothing);
      const [taken] = await claim();
      assert.deepEqual(await stores.tasks.purge(limits, 10), nothing);
      assert.ok(taken);
      await stores.outbox.settle([settled(taken)], clock);
      assert.equal((await deliveries("delivered")).length, 2);
      const logsOnly = { ...UNLIMITED, entriesBefore: 3000 };
      assert.deepEqual(await stores.tasks.purge(logsOnly, 10), { tasks: 0, logs: 1 });
      assert.deepEqual(await stores.control.deliveries(deliveryQuery()), []);
      assert.ok(await stores.configs.find(scopeOf(task), "hook"));
      assert.deepEqual(await stores.tasks.purge(limits, 10), { tasks: 1, logs: 0 });
      assert.equal(await stores.configs.find(scopeOf(task), "hook"), undefined);
    });

    test("purges the log of a task whose webhook was removed before it was told", async () => {
      const task = await watchedTask();
      const free = newTask();
      await commitAll(stores.tasks, completed(task, 2000), free, completed(free, 2000));
      const limits = { ...UNLIMITED, entriesBefore: 3000 };
      assert.deepEqual(await stores.tasks.purge(limits, 10), { tasks: 0, logs: 1 });
      assert.deepEqual(await stores.tasks.purge(limits, 10), { tasks: 0, logs: 0 });
      await stores.configs.remove(scopeOf(task), "hook");
      assert.deepEqual(await stores.tasks.purge(limits, 10), { tasks: 0, logs: 1 });
    });

    test("tells nothing of a waiting task that was purged with its webhook", async () => {
      const task = newTask({ status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: 1000 } });
      await commitAll(stores.tasks, { ...task, pushConfigs: [webhook(task)] });
      const limits = { ...UNLIMITED, unfinishedBefore: 2000 };
      assert.equal((await stores.tasks.purge(limits, 10)).tasks, 0);
      for (const each of await claim()) await stores.outbox.settle([settled(each)], clock);
      assert.equal((await stores.tasks.purge(limits, 10)).tasks, 1);
      assert.deepEqual(await stores.control.deliveries(deliveryQuery()), []);
    });
  });
}

type PageStart = NonNullable<DeliveryQuery["after"]>;

type Filter = Partial<Pick<DeliveryRecord, "state" | "agent" | "configId" | "taskId">>;

function fits(filter: Filter) {
  const wanted = Object.entries(filter);
  return (record: object) => {
    const fields = new Map<string, unknown>(Object.entries(record));
    return wanted.every(([name, value]) => fields.get(name) === value);
  };
}
