/** The ids of tasks, contexts, messages and artifacts. */
import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

const ID_BYTES = 16;
const POOL_IDS = 512;

/**
 * Makes UUIDs of version 7: they sort by the millisecond in which they were made, which keeps the store's indexes
 * compact. The randomness is drawn for many at a time, since drawing costs the same for one as for all.
 */
export function createIds(): () => string {
  const pool = new Uint8Array(ID_BYTES * POOL_IDS);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, (used += ID_BYTES));
    return v7({ random });
  };
}
