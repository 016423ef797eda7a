/** Asks the system for addresses, some names at a time. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { deferred, type Deferred } from "../core/deferred.ts";
import { Memory } from "./memory.ts";

/**
 * Node asks the system on one of four threads, which the database needs too, and a name that nobody answers for takes
 * one for about ten seconds. Names that the system never had an answer for may have one of the places.
 */
const PLACES = { all: 2, strangers: 1 } as const;
/** How long a name waits for a place, in milliseconds: about as long as a try to send is worth waiting for. */
const PATIENCE_MS = 5_000;
const REMEMBERED = 1_000;

type Ask = (name: string) => Promise<readonly LookupAddress[]>;

interface Waiter {
  readonly isStranger: boolean;
  readonly turn: Deferred<void>;
}

/** Whoever gets no place in time is rejected with EAI_AGAIN, and waits no longer. */
export function openSystemLookup(ask: Ask = systemAddresses): Ask {
  const answered = new Memory<true>(REMEMBERED);
  const running = { all: 0, strangers: 0 };
  let waiting: readonly Waiter[] = [];

  function tookPlace(isStranger: boolean): boolean {
    const isFull = isStranger && running.strangers >= PLACES.strangers;
    if (isFull || running.all >= PLACES.all) return false;
    running.all++;
    if (isStranger) running.strangers++;
    return true;
  }

  async function waitForPlace(isStranger: boolean): Promise<void> {
    if (tookPlace(isStranger)) return;
    const waiter: Waiter = { isStranger, turn: deferred() };
    waiting = [...waiting, waiter];
    const timer = setTimeout(() => waiter.turn.reject(noPlace()), PATIENCE_MS);
    try {
      await waiter.turn.promise;
    } finally {
      clearTimeout(timer);
      waiting = waiting.filter((each) => each !== waiter);
    }
  }

  function leave(isStranger: boolean): void {
    running.all--;
    if (isStranger) running.strangers--;
    const next = waiting.find((each) => tookPlace(each.isStranger));
    if (next === undefined) return;
    waiting = waiting.filter((each) => each !== next);
    next.turn.resolve();
  }

  return async (name) => {
    const isStranger = answered.get(name) === undefined;
    await waitForPlace(isStranger);
    try {
      const found = await ask(name);
      answered.set(name, true);
      return found;
    } finally {
      leave(isStranger);
    }
  };
}

function systemAddresses(name: string): ReturnType<Ask> {
  return lookup(name, { all: true, verbatim: true });
}

function noPlace(): NodeJS.ErrnoException {
  return Object.assign(new Error("too many names are looked up"), { code: "EAI_AGAIN" });
}
