/** An outbox in memory that keeps the promises of the port, and whose store can be made to fail. */
import type {
  Claim,
  Delivery,
  Outbox,
  Outcome,
  PushConfig,
  PushConfigKey,
} from "../../../src/core/ports/push-store.ts";

interface Due extends Delivery {
  readonly dueAt: number;
}

interface Kept {
  readonly config: PushConfig;
  due: Due[];
  takenUntil: number;
  hasDelivered: boolean;
  isGone: boolean;
}

export interface Settled {
  readonly name: string;
  readonly generation: number;
  readonly outcome: Outcome;
}

export class MemoryOutbox implements Outbox {
  readonly settled: Settled[] = [];
  /** How many configs each settlement brought. */
  readonly lots: number[] = [];
  claims = 0;
  /** The ids of the configs that were taken, as often as they were. */
  readonly taken: string[] = [];
  /** How many of the next calls throw. */
  failing = { claim: 0, settle: 0 };
  /** Called in the middle of a claim: what it takes is decided, but not told yet. */
  onClaim: (() => Promise<void>) | undefined;
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  #wake: () => void = () => undefined;
  #watchers: (() => void)[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Commits events of these generations to a config. */
  write(config: PushConfig, ...generations: readonly number[]): void {
    const name = nameOf(config);
    const kept = this.#kept.get(name) ?? newlyKept(config);
    const createdAt = this.#now();
    if (!kept.isGone)
      for (const generation of generations)
        kept.due.push({ generation, attempts: 0, createdAt, dueAt: createdAt });
    this.#kept.set(name, { ...kept, config });
    this.#wake();
  }

  remove(key: PushConfigKey): void {
    this.#kept.delete(nameOf(key));
  }

  /** What is still due to a config. */
  due(key: PushConfigKey): readonly Delivery[] {
    return this.#kept.get(nameOf(key))?.due ?? [];
  }

  async claim({ now, until, limit, deliveries }: Parameters<Outbox["claim"]>[0]) {
    this.claims++;
    if (this.failing.claim-- > 0) throw new Error("the database is locked");
    const free = [...this.#kept.values()]
      .filter(({ due, takenUntil }) => takenUntil <= now && (due[0]?.dueAt ?? Infinity) <= now)
      .sort((a, b) => (a.due[0]?.dueAt ?? 0) - (b.due[0]?.dueAt ?? 0))
      .slice(0, limit);
    for (const kept of free) kept.takenUntil = until;
    this.taken.push(...free.map(({ config }) => config.id));
    const claims = free.map(({ config, due, hasDelivered }): Claim => ({
      config,
      deliveries: due
        .slice(0, deliveries)
        .map(({ generation, attempts, createdAt }) => ({ generation, attempts, createdAt })),
      isFirst: !hasDelivered,
    }));
    this.#look();
    await this.onClaim?.();
    return claims;
  }

  settle(settlements: Parameters<Outbox["settle"]>[0]): Promise<void> {
    if (this.failing.settle-- > 0) return Promise.reject(new Error("the disk is full"));
    this.lots.push(settlements.length);
    for (const { key, outcomes } of settlements) {
      const kept = this.#kept.get(nameOf(key));
      if (kept === undefined) continue;
      kept.takenUntil = 0;
      for (const [generation, outcome] of outcomes) this.#settleOne(kept, generation, outcome);
    }
    this.#look();
    return Promise.resolve();
  }

  nextDueAt(): Promise<number | undefined> {
    const now = this.#now();
    const times = [...this.#kept.values()].flatMap(({ due: [first], takenUntil }) => {
      if (takenUntil > now) return [takenUntil];
      return first === undefined ? [] : [first.dueAt];
    });
    return Promise.resolve(times.length === 0 ? undefined : Math.min(...times));
  }

  onDue(wake: () => void): void {
    this.#wake = wake;
  }

  /** Resolves once it is so; looks after every claim and settlement. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  #look(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const look of watchers) look();
  }

  #settleOne(kept: Kept, generation: number, outcome: Outcome): void {
    this.settled.push({ name: nameOf(kept.config), generation, outcome });
    if (outcome.kind === "delivered") kept.hasDelivered = true;
    if (outcome.kind === "gone") kept.isGone = true;
    if (kept.isGone) kept.due = [];
    kept.due = kept.due.flatMap((each) => {
      if (each.generation !== generation) return [each];
      if (outcome.kind !== "retry") return [];
      return [{ ...each, attempts: each.attempts + 1, dueAt: outcome.at }];
    });
  }
}

function newlyKept(config: PushConfig): Kept {
  return { config, due: [], takenUntil: 0, hasDelivered: false, isGone: false };
}

function nameOf(key: { readonly taskId: string; readonly id: string }): string {
  return `${key.taskId}/${key.id}`;
}
