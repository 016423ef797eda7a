/** A task's events as a caller follows them: without a gap, in order, to an end that depends on what was asked. */
import type { StreamItem } from "../protocol/service.ts";
import { isTerminal, STREAM_ENDS, type TaskState } from "../protocol/states.ts";
import type { Subscription } from "./event-hub.ts";
import { eventOf, replayOf } from "./log-entry.ts";
import type { StreamSlot } from "./ports/call-limits.ts";
import type { LogEntry, StoredTask, TaskStore } from "./ports/task-store.ts";
import { viewOf } from "./views.ts";

/** Whether the state that an event of that generation brought ends a stream. */
export type Ends = (state: TaskState, generation: number) => boolean;

/** How a stream begins: its first items, and where the live events take over. */
export interface StreamStart {
  readonly items: Iterable<StreamItem>;
  /** Live events up to this generation are in the items already. */
  readonly after: number;
  /** Closed by the stream; undefined when the items are all there is. */
  readonly events: Subscription | undefined;
  readonly ends: Ends;
}

/** Opens a stream; it hands over the slot that the stream takes up, if there is one, before anybody waits. */
type Open = (hold: (slot: StreamSlot) => void) => Promise<StreamStart>;

type Step = IteratorResult<StreamItem, undefined>;
const DONE: Step = { done: true, value: undefined };

/**
 * A stream of items: those of its start, then live events until one brings a state that ends it. An object of its own
 * instead of generators in one another, which would cost an idle stream four times the memory.
 */
export class TaskStream implements AsyncIterableIterator<StreamItem> {
  #open: Open | undefined;
  #items: Iterator<StreamItem> | undefined;
  #start: StreamStart | undefined;
  /** What it takes up among open streams, until it ends. */
  #slot: StreamSlot | undefined;
  #left = false;

  /** @param open called with the first `next`; what it throws is the error of the call. */
  constructor(open: Open) {
    this.#open = open;
  }

  async next(): Promise<Step> {
    try {
      if (this.#open) {
        const start = await this.#begin(this.#open);
        if (this.#left) return await firstOf(start);
      }
      const item = this.#items?.next();
      if (item && !item.done) return item;
      this.#items = undefined;
      while (this.#start?.events) {
        const { events, after, ends } = this.#start;
        const step = await events.next();
        if (step.done) break;
        const { generation, state } = step.value;
        if (generation <= after) continue;
        if (ends(state, generation)) this.#close();
        return { done: false, value: step.value };
      }
    } catch (thrown) {
      this.#close();
      throw thrown;
    }
    this.#close();
    return DONE;
  }

  /** The caller leaves: a `next` under way ends. The first one tells what the call came to even so, where it came to something. */
  return(): Promise<Step> {
    this.#left = true;
    this.#items = undefined;
    this.#close();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #begin(open: Open): Promise<StreamStart> {
    this.#open = undefined;
    const start = await open((slot) => (this.#slot = slot));
    if (!this.#left) {
      this.#start = start;
      this.#items = start.items[Symbol.iterator]();
    }
    return start;
  }

  #close(): void {
    this.#start?.events?.close();
    this.#start = undefined;
    this.#slot?.leave();
    this.#slot = undefined;
  }
}

/** What is there at once of a stream that nobody reads, which is closed. */
async function firstOf({ items, events }: StreamStart): Promise<Step> {
  const [value] = items;
  const live = events?.next();
  events?.close();
  return value ? { done: false, value } : ((await live) ?? DONE);
}

export const endsSend = STREAM_ENDS.sendStreamingMessage;

/** From the first event on, as they come. */
export function liveStart(events: Subscription): StreamStart {
  return { items: [], after: 0, events, ends: endsSend };
}

/** One item and no more. */
export function onlyItem(item: StreamItem, events: Subscription): StreamStart {
  events.close();
  return { items: [item], after: 0, events: undefined, ends: endsSend };
}

/** Where the events of a task come from: its log, and whoever tells of new ones. */
interface Following {
  readonly store: TaskStore;
  readonly events: Subscription;
}

/** The task as stored, then the events after it (spec 3.1.6). */
export function snapshotStart(stored: StoredTask, events: Subscription, ends: Ends): StreamStart {
  const { generation, status } = stored;
  const task = viewOf(stored, { historyLength: undefined, artifacts: true });
  const items = [{ response: { task }, generation }];
  return { items, after: generation, events: unless(ends(status.state, generation), events), ends };
}

/**
 * The task as it was before a turn, then every event since: undefined when the log no longer has them all. `ends` is asked
 * of those that are there already, too.
 */
export async function furtherStart(
  before: StoredTask,
  { store, events, ends }: Following & { readonly ends: Ends },
): Promise<StreamStart | undefined> {
  const { id, generation } = before;
  const since = await store.entriesAfter(id, generation);
  if (since === undefined) return undefined;
  const last = since.findIndex((entry) => {
    const state = stateIn(entry.text);
    return state !== undefined && ends(state, entry.generation);
  });
  const shown = last < 0 ? since : since.slice(0, last + 1);
  const task = viewOf(before, { historyLength: undefined, artifacts: true });
  return {
    items: [{ response: { task }, generation }, ...replayed(shown)],
    after: shown.at(-1)?.generation ?? generation,
    events: unless(last >= 0, events),
    ends,
  };
}

/**
 * The events after the caller's cursor: from the log, then live. When the log does not reach back that far, or the
 * cursor is ahead of the task, the task as stored takes the place of what is missing.
 */
export async function resumedStart(
  stored: StoredTask,
  { cursor, store, events }: Following & { readonly cursor: number },
): Promise<StreamStart> {
  const missing =
    cursor <= stored.generation ? await store.entriesAfter(stored.id, cursor) : undefined;
  if (!missing) return snapshotStart(stored, events, isTerminal);
  const last = missing.at(-1);
  // What the log held may be newer than the row that was read before it: then the end is in it.
  const ended = isTerminal(stored.status.state) || endedBy(last?.text);
  return {
    items: replayed(missing),
    after: last?.generation ?? cursor,
    events: unless(ended, events),
    ends: isTerminal,
  };
}

function* replayed(entries: readonly LogEntry[]): Generator<StreamItem> {
  for (const entry of entries) yield replayOf(entry);
}

function unless(ended: boolean, events: Subscription): Subscription | undefined {
  if (!ended) return events;
  events.close();
  return undefined;
}

function endedBy(text: string | undefined): boolean {
  const state = text === undefined ? undefined : stateIn(text);
  return state !== undefined && isTerminal(state);
}

/** The state that an entry of the log brought; undefined where it left it alone. */
function stateIn(text: string): TaskState | undefined {
  const event = eventOf(text);
  if ("statusUpdate" in event) return event.statusUpdate.status.state;
  return "task" in event ? event.task.status.state : undefined;
}
