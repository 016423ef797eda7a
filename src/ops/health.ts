/** What the operations port answers about the gateway's health. */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../core/ports/log.ts";

export interface Readiness {
  /** The gateway is stopping and takes no new work. */
  readonly draining: boolean;
}

export interface HealthAnswer {
  readonly status: number;
  readonly body: object;
}

const PATIENCE_MS = 2000;

/** Up is whoever can answer. */
export function liveness(): HealthAnswer {
  return { status: 200, body: { status: "up" } };
}

/** Ready, or 503 with what is missing. The check asks the database; when it throws or takes too long, that is down. */
export async function readiness(ready: () => Promise<Readiness>, log: Log): Promise<HealthAnswer> {
  try {
    const { draining } = await inTime(ready());
    return answerOf(!draining, { database: "up", draining });
  } catch (thrown) {
    log.warn({ err: thrown }, "readiness check failed");
    return answerOf(false, { database: "down", draining: false });
  }
}

function answerOf(isReady: boolean, checks: object): HealthAnswer {
  return {
    status: isReady ? 200 : 503,
    body: { status: isReady ? "ready" : "not ready", checks },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  try {
    return await Promise.race([work, tooLate(done.signal)]);
  } finally {
    done.abort();
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await setTimeout(PATIENCE_MS, undefined, { signal });
  throw new Error("no answer in time");
}
