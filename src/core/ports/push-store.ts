/**
 * Webhooks, and what is still to be told to them. Whoever implements the ports keeps what they promise, or throws.
 *
 * What a task's commit has to tell is written in the same transaction as the commit (see `TaskChange`): for each config
 * of the task, one delivery for each entry that the config wants to hear of.
 */
import type { AuthenticationInfo } from "../../protocol/model.ts";

/** What an event is to those who listen: a status, an artifact that is whole, or a piece of one. */
export type News = "status" | "artifact" | "piece";

/** How much a config wants to hear: statuses; those and whole artifacts; every event. */
export type Interest = "status" | "default" | "all";

export const WANTED: Readonly<Record<Interest, ReadonlySet<News>>> = {
  status: new Set(["status"]),
  default: new Set(["status", "artifact"]),
  all: new Set(["status", "artifact", "piece"]),
};

/** A webhook of a task (spec 4.3.3). */
export interface PushConfig {
  readonly taskId: string;
  /** Unique within the task. */
  readonly id: string;
  /** The agent and the owner of the task, and so of the config. */
  readonly agent: string;
  readonly owner: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly authentication: AuthenticationInfo | undefined;
  /** The protocol version of the door that it came through: what it is sent is of that version. */
  readonly version: string;
  readonly interest: Interest;
  /** The generation of the task when it was registered, 0 with a new task: what happened until then is not sent. */
  readonly since: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Who asks, and for which task. */
export interface TaskScope {
  readonly agent: string;
  readonly owner: string;
  readonly taskId: string;
}

export interface PushConfigKey {
  readonly taskId: string;
  readonly id: string;
}

export interface PushConfigStore {
  /**
   * Keeps a config of a task that is there, `since` filled in with its generation at that moment, and resolves with it;
   * one of the same id is replaced: its deliveries that are due go to the new address, at once and with no attempts,
   * and nothing was delivered to it yet; while it is taken, they wait until that claim ends. Throws TASK_NOT_FOUND when
   * the agent and the owner have no such task, INVALID_PARAMS when it has `limit` other configs already, and UNAVAILABLE
   * while the store cannot wait for the disk.
   */
  put(config: Omit<PushConfig, "since" | "createdAt">, limit: number): Promise<PushConfig>;
  /** Throws UNAVAILABLE for a config whose secrets cannot be read. */
  find(scope: TaskScope, id: string): Promise<PushConfig | undefined>;
  /** At most `limit`, in the order of their ids, after an id. Throws as `find` does. */
  list(scope: TaskScope, after: string | undefined, limit: number): Promise<readonly PushConfig[]>;
  /** Forgets a config and everything that it was still to be told; nothing happens where there is none. Throws as `put`. */
  remove(scope: TaskScope, id: string): Promise<void>;
}

/** One event to tell to one config. */
export interface Delivery {
  /** The generation of the event. */
  readonly generation: number;
  /** How often it was tried before. */
  readonly attempts: number;
  /** When the event was committed, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A config that somebody has taken to tell it what is due. */
export interface Claim {
  readonly config: PushConfig;
  /** Oldest first, at least one: they are sent one after another, and the first that fails ends the claim. */
  readonly deliveries: readonly Delivery[];
  /** Whether nothing was delivered to this config before. */
  readonly isFirst: boolean;
}

export type Outcome =
  | { readonly kind: "delivered"; readonly status: number }
  /** Tried again at that instant (milliseconds since the epoch), and what comes after it not before. */
  | { readonly kind: "retry"; readonly at: number; readonly problem: string }
  /** Not tried again, until somebody asks for it; what comes after it is. */
  | { readonly kind: "dead"; readonly problem: string }
  /** The receiver is gone for good: nor is anything else tried that is due to this config, now or later. */
  | { readonly kind: "gone"; readonly problem: string };

export interface Settlement {
  readonly key: PushConfigKey;
  /** What became of the deliveries, by generation; those of the claim that are missing were not tried. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
}

export interface Outbox {
  /**
   * Takes at most `limit` configs that have a delivery due at `now` and are neither paused nor taken, those that wait
   * longest first, and at most `deliveries` of each. Whoever took them settles them before `until`, or they are due
   * again; so they are when the store is opened again. What is due to a config whose secrets cannot be read dies here.
   */
  claim(take: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
    readonly deliveries: number;
  }): Promise<readonly Claim[]>;
  /**
   * Writes down what became of claims, all in one transaction, which ends them. A config that was removed or replaced
   * meanwhile, or that nobody took, is left out.
   */
  settle(settlements: readonly Settlement[], now: number): Promise<void>;
  /**
   * When the next delivery is due (milliseconds since the epoch), those of a config that is taken when its claim ends;
   * undefined when none is.
   */
  nextDueAt(): Promise<number | undefined>;
  /** Calls `wake` whenever a commit has written something that is due at once; one listener. */
  onDue(wake: () => void): void;
}

/** A delivery as those who run the gateway see it: without secrets. */
export interface DeliveryRecord {
  readonly taskId: string;
  readonly configId: string;
  readonly agent: string;
  readonly owner: string;
  readonly url: string;
  readonly generation: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly problem: string | undefined;
}

export type DeliveryState = "due" | "delivered" | "dead";

export interface DeliveryQuery {
  readonly state: DeliveryState | undefined;
  readonly taskId: string | undefined;
  readonly configId: string | undefined;
  readonly agent: string | undefined;
  /** Only those after this one, in the order of task id, config id and generation. */
  readonly after: (PushConfigKey & { readonly generation: number }) | undefined;
  readonly limit: number;
}

export interface DeliveryCounts {
  readonly due: number;
  readonly dead: number;
  /** When the oldest delivery that is due was written, in milliseconds since the epoch. */
  readonly oldestDueAt: number | undefined;
}

/** What became of deliveries since the start of the process. */
export interface SentCounts {
  /** Deliveries that a receiver has taken. */
  readonly delivered: number;
  /** Tries that failed and are made again. */
  readonly failed: number;
  /** Deliveries that were given up. */
  readonly dead: number;
  /** Receivers that said that they are gone for good. */
  readonly gone: number;
}

/** What those who run the gateway do about deliveries. */
export interface DeliveryControl {
  deliveries(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  /** Makes dead deliveries due again, with no attempts: all that fit; how many there were. A config that was gone is tried again. */
  redrive(which: {
    readonly taskId: string | undefined;
    readonly configId: string | undefined;
    readonly agent: string | undefined;
    readonly generation: number | undefined;
  }): Promise<number>;
  /** Holds back what is due to a config, or lets it go; false when there is no such config. */
  setPaused(key: PushConfigKey, isPaused: boolean): Promise<boolean>;
  counts(): Promise<DeliveryCounts>;
}
