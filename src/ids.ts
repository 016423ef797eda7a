/** The ids of tasks, contexts, messages and artifacts. */
import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const ID_BYTES = 16;
const POOL_IDS = 512;

/**
 * Makes UUIDs of version 7, each greater than the one before: they sort by the time at which they were made, which keeps
 * the store's indexes compact, and ids of one millisecond by their order. The randomness is drawn for many at a time,
 * since drawing costs the same for one as for all.
 */
export function createIds(now: () => number = Date.now): () => string {
  const pool = new Uint8Array(ID_BYTES * POOL_IDS);
  let used = pool.length;
  let msecs = 0;
  let seq = 0;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, (used += ID_BYTES));
    const instant = now();
    // Also where the clock was set back: the order counts for more than the time.
    if (instant <= msecs) seq += 1;
    else {
      msecs = instant;
      seq = seedOf(random);
    }
    return v7({ random, msecs, seq });
  };
}

/** A random start for the 32 bits that count within a millisecond, the first of them clear: there is room to count. */
function seedOf(random: Uint8Array): number {
  return new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1;
}
