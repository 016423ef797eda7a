/** Tells the last of the items that come one by one, where that can be known soon enough. */
export interface Told<T> {
  readonly item: T;
  /** False also for the last item when its successor was waited for in vain. */
  readonly isLast: boolean;
}

/** How long an item may be held back; ends early when the signal is aborted. */
export type Hold = (signal: AbortSignal) => Promise<void>;

/** Holds each item back until the next one or the end comes, but no longer than `hold` takes. */
export async function* withLast<T>(items: AsyncIterable<T>, hold: Hold): AsyncGenerator<Told<T>> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (let result = await next; !result.done; result = await next) {
      const item = result.value;
      next = iterator.next();
      yield { item, isLast: await endsWithin(next, hold) };
    }
  } finally {
    // Whoever leaves early does not wait for an item that is still on its way.
    void iterator.return?.(undefined).catch(() => undefined);
  }
}

async function endsWithin(next: Promise<IteratorResult<unknown>>, hold: Hold): Promise<boolean> {
  const came = new AbortController();
  const late = hold(came.signal).then(
    () => false,
    () => false,
  );
  const isOver = await Promise.race([isEnd(next), late]);
  came.abort();
  return isOver;
}

/** Never rejects: a failure is thrown once the item before it has been told. */
async function isEnd(next: Promise<IteratorResult<unknown>>): Promise<boolean> {
  try {
    return (await next).done === true;
  } catch {
    return false;
  }
}
