/** What every outbox must do, whatever it keeps deliveries in. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Claim, Delivery, Outbox, Outcome } from "../../src/core/ports/push-store.ts";
import { everything, generationsOf, settled } from "../store/push-support.ts";

export interface OpenedOutbox {
  readonly outbox: Outbox;
  /** Commits so many more events of a task of that id, the first time together with its one webhook. */
  tell(taskId: string, count?: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens an empty outbox that takes the time from `now`. */
export type OpenOutbox = (now: () => number) => Promise<OpenedOutbox>;

export function outboxContract(name: string, open: OpenOutbox): void {
  describe(`${name} keeps the contract of an outbox`, () => {
    let opened: OpenedOutbox;
    let outbox: Outbox;
    let clock = 0;
    beforeEach(async () => {
      clock = 5000;
      opened = await open(() => clock);
      ({ outbox } = opened);
    });
    afterEach(() => opened.close());

    const claim = () => outbox.claim(everything(clock));
    const tasksOf = (claims: readonly Claim[]) => claims.map(({ config }) => config.taskId);

    async function claimOne(): Promise<Claim> {
      const [first, ...others] = await claim();
      assert.deepEqual(others, []);
      return first ?? assert.fail("nothing is due");
    }

    /** The first delivery of the claim met with the outcome, the others were not tried. */
    const settleFirst = (claimed: Claim, outcome: Outcome) => {
      const [first = assert.fail()] = claimed.deliveries;
      const outcomes = new Map([[first.generation, outcome]]);
      return outbox.settle([{ key: claimed.config, outcomes }], clock);
    };

    const deliveryOf = (generation: number, attempts = 0): Delivery => ({
      generation,
      attempts,
      createdAt: 5000,
    });

    test("takes those that wait longest first, each once, so many deliveries of each", async () => {
      for (const taskId of ["c", "a", "e", "b", "d"]) {
        await opened.tell(taskId);
        clock++;
      }
      for (const taskId of ["a", "b", "c", "d", "e"]) await opened.tell(taskId, 2);
      const take = { now: clock, until: clock + 1000, limit: 2, deliveries: 2 };
      const taken: Claim[] = [];
      for (const expected of [["c", "a"], ["e", "b"], ["d"], []]) {
        const claims = await outbox.claim(take);
        assert.deepEqual(tasksOf(claims), expected);
        taken.push(...claims);
      }
      assert.deepEqual(generationsOf(taken), Array(5).fill([1, 2]));
    });

    test("gives no webhook to two that ask at once", async () => {
      for (let index = 0; index < 30; index++) await opened.tell(`t${index}`);
      const take = { now: clock, until: clock + 1000, limit: 10, deliveries: 1 };
      const claims = await Promise.all(Array.from({ length: 6 }, () => outbox.claim(take)));
      for (let more = claims[0] ?? []; more.length > 0; claims.push(more))
        more = await outbox.claim(take);
      const taken = tasksOf(claims.flat());
      assert.equal(taken.length, 30);
      assert.equal(new Set(taken).size, 30);
    });

    test("has what was taken and not settled due again when the claim ends", async () => {
      await opened.tell("t");
      await claimOne();
      assert.deepEqual(await claim(), []);
      assert.equal(await outbox.nextDueAt(), 6000);
      clock = 6000;
      assert.deepEqual((await claimOne()).deliveries, [deliveryOf(1)]);
    });

    test("says when something is due first, nothing when all is told", async () => {
      assert.equal(await outbox.nextDueAt(), undefined);
      await opened.tell("a");
      await settleFirst(await claimOne(), { kind: "retry", at: 8000, problem: "503" });
      await opened.tell("b");
      assert.equal(await outbox.nextDueAt(), 5000);
      await outbox.settle([settled(await claimOne())], clock);
      assert.equal(await outbox.nextDueAt(), 8000);
      clock = 8000;
      await outbox.settle([settled(await claimOne())], clock);
      assert.equal(await outbox.nextDueAt(), undefined);
    });

    test("says that a claim is the first one until something was delivered", async () => {
      await opened.tell("t");
      const first = await claimOne();
      assert.equal(first.isFirst, true);
      await outbox.settle([settled(first, { kind: "dead", problem: "404" })], clock);
      await opened.tell("t");
      const second = await claimOne();
      assert.equal(second.isFirst, true);
      await outbox.settle([settled(second)], clock);
      await opened.tell("t");
      assert.equal((await claimOne()).isFirst, false);
    });

    test("has what was committed while a webhook was taken due once it is settled", async () => {
      await opened.tell("t");
      const first = await claimOne();
      await opened.tell("t", 2);
      assert.deepEqual(await claim(), []);
      await outbox.settle([settled(first)], clock);
      assert.deepEqual(generationsOf(await claim()), [[2, 3]]);
    });

    test("holds back what comes after a retry until its time", async () => {
      await opened.tell("t", 2);
      await settleFirst(await claimOne(), { kind: "retry", at: 7000, problem: "503" });
      await opened.tell("t");
      assert.deepEqual(await claim(), []);
      assert.equal(await outbox.nextDueAt(), 7000);
      clock = 7000;
      const { deliveries } = await claimOne();
      assert.deepEqual(deliveries, [deliveryOf(1, 1), deliveryOf(2), deliveryOf(3)]);
    });

    test("goes on after a dead delivery", async () => {
      await opened.tell("t", 2);
      await settleFirst(await claimOne(), { kind: "dead", problem: "404" });
      assert.deepEqual(generationsOf(await claim()), [[2]]);
    });

    test("gives out nothing more to a receiver that is gone, now or later", async () => {
      await opened.tell("t", 2);
      await settleFirst(await claimOne(), { kind: "gone", problem: "410" });
      await opened.tell("t");
      assert.deepEqual(await claim(), []);
      assert.equal(await outbox.nextDueAt(), undefined);
    });

    test("leaves due what a claim did not try", async () => {
      await opened.tell("t", 2);
      await settleFirst(await claimOne(), { kind: "delivered", status: 200 });
      const again = await claimOne();
      assert.deepEqual(generationsOf([again]), [[2]]);
      await outbox.settle([{ key: again.config, outcomes: new Map() }], clock);
      assert.deepEqual(generationsOf(await claim()), [[2]]);
    });

    test("settles many claims at once, and calls that come at once", async () => {
      for (let index = 0; index < 150; index++) await opened.tell(`t${index}`);
      const take = { ...everything(clock), limit: 1000 };
      const claims = await outbox.claim(take);
      assert.equal(claims.length, 150);
      const settlements = claims.map((each) => settled(each));
      await Promise.all([
        outbox.settle(settlements.slice(0, 100), clock),
        ...settlements.slice(100).map((each) => outbox.settle([each], clock)),
      ]);
      assert.equal(await outbox.nextDueAt(), undefined);
      assert.deepEqual(await outbox.claim(take), []);
    });

    test("wakes its listener when something is due at once", async () => {
      let woken = 0;
      outbox.onDue(() => woken++);
      await opened.tell("t");
      assert.equal(woken, 1);
    });
  });
}
