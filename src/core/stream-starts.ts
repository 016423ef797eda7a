/** How the two operations that stream find where their streams begin, so that no event is missed or shown twice. */
import type { Call } from "../protocol/service.ts";
import { isTerminal } from "../protocol/states.ts";
import type { EventHub } from "./event-hub.ts";
import type { Agent } from "./ports/agent.ts";
import type { TaskStore } from "./ports/task-store.ts";
import type { Send, Sender } from "./sender.ts";
import {
  endsSend,
  furtherStart,
  liveStart,
  onlyItem,
  resumedStart,
  snapshotStart,
  type Ends,
  type StreamStart,
} from "./streams.ts";
import { endedError } from "./task-errors.ts";
import { loadVisible } from "./visible-tasks.ts";

/**
 * A stream shows that it is alive: it does not wait longer than this for the handler's first event. The clients of some
 * SDKs give up after five seconds.
 */
const PATIENCE_MS = 2_500;

export interface StreamParts {
  readonly store: TaskStore;
  readonly hub: EventHub;
  readonly sender: Sender;
}

/** Where the stream of a sent message begins. Throws as `Sender.send` does, and what keeps the turn from beginning. */
export async function sentStart(
  { store, hub, sender }: StreamParts,
  send: Omit<Send<unknown>, "follow">,
): Promise<StreamStart> {
  const sent = await sender.send({ ...send, follow: (id) => hub.subscribe(id) });
  const { events } = sent;
  try {
    if (sent.kind === "known") {
      // Read again: what was committed between the first read and the subscription would be lost.
      return snapshotStart(await loadVisible(store, send, sent.stored.id), events, endsSend);
    }
    const { turn, execution, role, before } = sent;
    turn.after(PATIENCE_MS, () => execution.open(turn));
    const start = await turn.start;
    if (start.kind === "message") return onlyItem({ response: { message: start.message } }, events);
    if (role === "first") return liveStart(events);
    // Until the turn has begun, a state to stop at is the one before its.
    const ends: Ends = (state, generation) => endsSend(state) && generation > turn.begunAfter;
    const further = before && (await furtherStart(before, { store, events, ends }));
    if (further) return further;
    return snapshotStart(await sender.startedTask(sent, start.stored, send), events, ends);
  } catch (thrown) {
    events.close();
    throw thrown;
  }
}

export interface Subscribing {
  readonly agent: Agent;
  readonly call: Call;
  readonly taskId: string;
}

/**
 * Where the stream of a subscription begins: with the task as it is, or after what its caller has seen. Throws
 * TASK_NOT_FOUND, and UNSUPPORTED_OPERATION for a task that has ended (spec 3.1.6).
 */
export async function subscriptionStart(
  { store, hub }: Pick<StreamParts, "store" | "hub">,
  { agent, call, taskId }: Subscribing,
): Promise<StreamStart> {
  // The listener comes first: an event between the load and the subscription would be lost.
  const events = hub.subscribe(taskId);
  try {
    const stored = await loadVisible(store, { agent, call }, taskId);
    const { resumeAfter } = call;
    if (resumeAfter !== undefined)
      return await resumedStart(stored, { cursor: resumeAfter, store, events });
    const { state } = stored.status;
    if (isTerminal(state)) throw endedError(stored.id, state);
    return snapshotStart(stored, events, isTerminal);
  } catch (thrown) {
    events.close();
    throw thrown;
  }
}
