/** What one function writes and another reads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "../../../src/handlers/upstream/outbox.ts";

test("values come one by one, and the writer goes on when more are asked for", async () => {
  const steps: string[] = [];
  const outbox: Outbox<number> = new Outbox(
    async () => {
      await outbox.put([1, 2]);
      steps.push("more");
      await outbox.put([]);
      await outbox.put([3]);
      steps.push("end");
    },
    () => steps.push("left"),
  );
  for await (const value of outbox) steps.push(String(value));
  assert.deepEqual(steps, ["1", "2", "more", "3", "end"]);
});

test("the last values are read after the writer is through", async () => {
  const outbox: Outbox<number> = new Outbox(
    async () => {
      await outbox.put([1]);
      outbox.add([2]);
      outbox.add([3]);
    },
    () => assert.fail(),
  );
  const read: number[] = [];
  for await (const value of outbox) read.push(value);
  assert.deepEqual(read, [1, 2, 3]);
});

test("a failure comes after what was written before it, once", async () => {
  const outbox: Outbox<number> = new Outbox(
    async () => {
      outbox.add([1, 2]);
      throw new Error("no more");
    },
    () => assert.fail(),
  );
  assert.equal((await outbox.next()).value, 1);
  assert.equal((await outbox.next()).value, 2);
  await assert.rejects(outbox.next(), /no more/);
  assert.equal((await outbox.next()).done, true);
});

test("a reader that leaves ends the writer", async () => {
  const steps: string[] = [];
  const outbox: Outbox<number> = new Outbox(
    async () => {
      try {
        await outbox.put([1, 2]);
      } catch (thrown) {
        steps.push(String(thrown));
      }
      await assert.rejects(outbox.put([3]));
      steps.push("end");
    },
    () => steps.push("left"),
  );
  for await (const value of outbox) {
    steps.push(String(value));
    break;
  }
  await new Promise(setImmediate);
  assert.deepEqual(steps, ["1", "left", "Error: nobody reads any more", "end"]);
  assert.equal((await outbox.next()).done, true);
});

test("a reader that leaves before it begins has nothing written", async () => {
  const outbox = new Outbox<number>(
    async () => assert.fail(),
    () => assert.fail(),
  );
  await outbox.return();
  assert.equal((await outbox.next()).done, true);
});
