/** Old tasks and log entries go, a batch at a time, so that no purge holds up the calls of the day. */
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";
import type { TaskStore } from "./ports/task-store.ts";

const EVERY_MS = 60_000;
const BATCH = 500;

/** How long things are kept after the last status of their task, in milliseconds; undefined: for ever. */
export interface RetentionPeriods {
  /** The log entries of ended tasks. */
  readonly entries: number | undefined;
  /** Ended tasks. */
  readonly finished: number | undefined;
  /** Tasks that wait for their caller. */
  readonly unfinished: number | undefined;
}

export interface RetentionParts {
  readonly store: TaskStore;
  readonly periods: RetentionPeriods;
  readonly clock: Clock;
  readonly log: Log;
}

/** Purges now and then until it is stopped, which waits for the batch under way. */
export function startRetention(parts: RetentionParts): { stop(): Promise<void> } {
  const { entries, finished, unfinished } = parts.periods;
  if (entries === undefined && finished === undefined && unfinished === undefined) {
    return { stop: () => Promise.resolve() };
  }
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => purgeAll(parts, () => stopped));
  }, EVERY_MS);
  timer.unref();
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}

async function purgeAll(
  { store, periods, clock, log }: RetentionParts,
  isStopped: () => boolean,
): Promise<void> {
  const before = (period: number | undefined): number | undefined =>
    period === undefined ? undefined : clock.now() - period;
  const limits = {
    entriesBefore: before(periods.entries),
    finishedBefore: before(periods.finished),
    unfinishedBefore: before(periods.unfinished),
  };
  let tasks = 0;
  let logs = 0;
  try {
    for (;;) {
      const purged = await store.purge(limits, BATCH);
      tasks += purged.tasks;
      logs += purged.logs;
      if (purged.tasks + purged.logs < BATCH || isStopped()) break;
    }
  } catch (thrown) {
    log.warn({ err: thrown }, "purge failed");
  }
  if (tasks + logs > 0) log.info({ tasks, logs }, "old tasks purged");
}
