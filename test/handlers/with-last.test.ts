import assert from "node:assert/strict";
import { test } from "node:test";
import { withLast, type Told } from "../../src/handlers/with-last.ts";

const forEver = () => new Promise<void>(() => undefined);
const noTime = async () => undefined;

/** Items whose coming the test decides. */
function source() {
  const waiting: ((result: IteratorResult<string>) => void)[] = [];
  let returned = false;
  const items: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => waiting.push(resolve)),
      async return() {
        returned = true;
        return new Promise(() => undefined);
      },
    }),
  };
  return {
    items,
    give: (item: string) => waiting.shift()?.({ done: false, value: item }),
    end: () => waiting.shift()?.({ done: true, value: undefined }),
    isReturned: () => returned,
  };
}

async function told(items: AsyncIterable<Told<string>>): Promise<readonly (string | boolean)[]> {
  const all: (string | boolean)[] = [];
  for await (const { item, isLast } of items) all.push(item, isLast);
  return all;
}

test("marks the last item when the end follows soon", async () => {
  const { items, give, end } = source();
  const all = told(withLast(items, forEver));
  give("a");
  await turns();
  give("b");
  await turns();
  end();
  assert.deepEqual(await all, ["a", false, "b", true]);
});

test("gives an item away after the hold time, without waiting for what comes next", async () => {
  const { items, give, end } = source();
  const events = withLast(items, noTime);
  const first = events.next();
  give("a");
  assert.deepEqual(await first, { done: false, value: { item: "a", isLast: false } });
  end();
  assert.equal((await events.next()).done, true);
});

test("tells what came before a failure, then fails", async () => {
  const items = async function* () {
    yield "a";
    throw new Error("broken");
  };
  const events = withLast(items(), forEver);
  assert.deepEqual((await events.next()).value, { item: "a", isLast: false });
  await assert.rejects(events.next(), /broken/);
});

test("a reader that leaves does not wait for the next item", async () => {
  const { items, give, isReturned } = source();
  const events = withLast(items, noTime);
  const first = events.next();
  give("a");
  await first;
  await events.return(undefined);
  assert.ok(isReturned());
});

/** Lets everything run that only waits for a promise. */
function turns(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
