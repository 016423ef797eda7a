/**
 * Which webhooks somebody has taken to tell them what is due. Kept in memory: the file belongs to one process, and with
 * it end its claims. What is due stays so in the file until it is settled.
 */
import type { PushConfigKey } from "../../../core/ports/push-store.ts";

export interface Taken {
  /** The number of the config's row. */
  readonly row: number;
  readonly until: number;
}

export interface Claims {
  /** The rows that are taken at that instant. */
  rowsTaken(now: number): readonly number[];
  /** When the first claim ends by itself after that instant. */
  nextEnd(now: number): number | undefined;
  take(key: PushConfigKey, taken: Taken): void;
  /** The row that a claim is of, which may have ended by itself as long as nobody took it again; none of a void one. */
  rowOf(key: PushConfigKey): number | undefined;
  /** Ends the claim, if there is one. What was read of that config before is no longer so. */
  end(key: PushConfigKey): void;
  /**
   * To be called when a config is replaced or removed: what becomes of its claim, if there is one, is of no account.
   * Until then nobody takes it again. What was read of that config before is no longer so.
   */
  void(key: PushConfigKey): void;
  /** To be called before a read of what is due. */
  startRead(): ClaimRead;
}

export interface ClaimRead {
  /** Whether a config that was read is still as it was, and nobody's at that instant. */
  isFree(key: PushConfigKey, now: number): boolean;
  /** To be called once there is nothing more to ask. */
  end(): void;
}

export function createClaims(): Claims {
  const claims = new Map<string, Taken & { isVoid: boolean }>();
  const reads = new Set<Set<string>>();

  const touch = (name: string): void => {
    for (const touched of reads) touched.add(name);
  };

  return {
    rowsTaken: (now) =>
      [...claims.values()].filter(({ until }) => until > now).map(({ row }) => row),
    nextEnd(now) {
      let next: number | undefined;
      for (const { until } of claims.values())
        if (until > now && (next === undefined || until < next)) next = until;
      return next;
    },
    take(key, { row, until }) {
      const name = nameOf(key);
      touch(name);
      claims.set(name, { row, until, isVoid: false });
    },
    rowOf(key) {
      const claim = claims.get(nameOf(key));
      return claim?.isVoid ? undefined : claim?.row;
    },
    end(key) {
      const name = nameOf(key);
      touch(name);
      claims.delete(name);
    },
    void(key) {
      const name = nameOf(key);
      touch(name);
      const claim = claims.get(name);
      if (claim) claim.isVoid = true;
    },
    startRead() {
      const touched = new Set<string>();
      reads.add(touched);
      return {
        isFree(key, now) {
          const name = nameOf(key);
          const { until = now } = claims.get(name) ?? {};
          return until <= now && !touched.has(name);
        },
        end: () => reads.delete(touched),
      };
    },
  };
}

/** With the length of the task's id, no two keys have one name, whatever their ids hold. */
function nameOf({ taskId, id }: PushConfigKey): string {
  return `${taskId.length} ${taskId}${id}`;
}
