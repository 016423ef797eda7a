/** What the operations port answers about the gateway's health. */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../core/ports.ts";

export interface Readiness {
  /** The database answers. */
  readonly database: boolean;
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

/** Ready, or 503 with what is missing. A check that throws or takes too long counts as a database that does not answer. */
export async function readiness(ready: () => Promise<Readiness>, log: Log): Promise<HealthAnswer> {
  const { database, draining } = await inTime(ready()).catch((error: unknown): Readiness => {
    log.warn({ error }, "readiness check failed");
    return { database: false, draining: false };
  });
  const isReady = database && !draining;
  return {
    status: isReady ? 200 : 503,
    body: {
      status: isReady ? "ready" : "not ready",
      checks: { database: database ? "up" : "down", draining },
    },
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
