/** After the end: the gateway has what the remote agent has, its log tells it once and in order, and so did its streams. */
import type { Target } from "../targets.ts";
import { artifactOf } from "./load.ts";
import { isTerminal, type StreamedEvent } from "./records.ts";
import { Session, type TaskAnswer } from "./session.ts";
import type { WatchedTask } from "./upstream-tasks.ts";
import { REMOTE_AGENT } from "./upstream-world.ts";

const LANES = 16;

export interface Sides {
  readonly gateway: Target;
  readonly remote: Target;
}

export interface Verdict {
  /** What is wrong, as one line each. */
  readonly faults: readonly string[];
  readonly events: number;
  /** Events that brought several chunks at once: what was missed while a connection was away. */
  readonly caughtUp: number;
}

export async function verifyUpstream(
  sides: Sides,
  tasks: readonly WatchedTask[],
): Promise<Verdict> {
  const faults: string[] = [];
  const totals = { events: 0, caughtUp: 0 };
  const left = tasks.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const gateway = await Session.open(sides.gateway);
      const remote = await Session.open(sides.remote);
      for (const task of left) {
        const say = (fault: string) => faults.push(`${task.agent} ${String(task.id)}: ${fault}`);
        try {
          const log = await verifyTask(gateway, remote, { task, say });
          totals.events += log.length;
          totals.caughtUp += log.filter(isCatchingUp).length;
        } catch (thrown) {
          say(String(thrown));
        }
      }
      gateway.close();
      remote.close();
    }),
  );
  return { faults, ...totals };
}

interface Subject {
  readonly task: WatchedTask;
  say(fault: string): void;
}

/** Answers with the gateway's log. */
async function verifyTask(
  gateway: Session,
  remote: Session,
  { task, say }: Subject,
): Promise<readonly StreamedEvent[]> {
  const { agent, id, contextId, events, end, chunks } = task;
  if (id === undefined) {
    say("never began");
    return [];
  }
  const here = await gateway.call<TaskAnswer>(agent, "GetTask", { id });
  const there = await remote.call<{ tasks: readonly TaskAnswer[] }>(REMOTE_AGENT, "ListTasks", {
    contextId,
    includeArtifacts: true,
  });
  const [remoteTask] = there.tasks;
  if (there.tasks.length !== 1 || remoteTask === undefined) {
    say(`the remote agent has ${there.tasks.length} tasks`);
    return [];
  }
  if (here.status.state !== remoteTask.status.state)
    say(`is ${here.status.state}, at the remote agent ${remoteTask.status.state}`);
  if (here.status.state !== `TASK_STATE_${end}`) say(`is ${here.status.state} instead of ${end}`);
  const story = storyOf(chunks);
  if (textOf(remoteTask) !== story) say(`the remote agent tells ${textOf(remoteTask)}`);
  if (textOf(here) !== story) say(`tells ${textOf(here)}`);
  const log: StreamedEvent[] = [];
  // Only the log of a finished task has an end to read to.
  if (!isTerminal(here.status.state)) return log;
  const cursor = { "Last-Event-ID": "0" };
  await gateway.stream(agent, "SubscribeToTask", { id }, (event) => log.push(event), cursor);
  for (const fault of logFaults(log, story)) say(`log: ${fault}`);
  for (const fault of streamFaults(events, log)) say(`stream: ${fault}`);
  return log;
}

interface Told {
  readonly task?: TaskAnswer;
  readonly statusUpdate?: TaskAnswer;
  readonly artifactUpdate?: {
    readonly append?: boolean;
    readonly artifact: { readonly parts: readonly { readonly text?: string }[] };
  };
}

/** Numbers without a gap; states that never go back; the story chunk by chunk, each once. */
function* logFaults(log: readonly StreamedEvent[], story: string): Generator<string> {
  let text = "";
  let rank = 0;
  for (const [index, { id, data }] of log.entries()) {
    if (id !== index + 1) yield `event ${index + 1} is ${String(id)}`;
    const { task, statusUpdate, artifactUpdate } = JSON.parse(data) as Told;
    const state = (task ?? statusUpdate)?.status.state;
    if (state !== undefined) {
      if (rankOf(state) < rank) yield `event ${index + 1} goes back to ${state}`;
      if (statusUpdate && rankOf(state) === rank) yield `event ${index + 1} says ${state} again`;
      rank = rankOf(state);
    }
    if (artifactUpdate === undefined) continue;
    const before = text;
    const parts = artifactUpdate.artifact.parts.map((part) => part.text ?? "").join("");
    if ((artifactUpdate.append === true) === (before === ""))
      yield `event ${index + 1} ${before === "" ? "adds to nothing" : "begins anew"}`;
    text = artifactUpdate.append === true ? before + parts : parts;
    if (!story.startsWith(text)) yield `event ${index + 1} makes it ${text}`;
    if (text.length <= before.length) yield `event ${index + 1} tells nothing new`;
  }
  if (text !== story) yield `ends with ${text}`;
  if (rank !== TERMINAL) yield "has no end";
}

/** What a client got over all its connections is the log, event for event. */
function* streamFaults(
  events: readonly StreamedEvent[],
  log: readonly StreamedEvent[],
): Generator<string> {
  if (events.length !== log.length) yield `${events.length} events of ${log.length}`;
  for (const [index, { id, data }] of events.entries()) {
    if (id !== index + 1) yield `event ${String(id)} where ${index + 1} comes`;
    else if (log[index]?.data !== data) yield `event ${id} differs from the log`;
  }
}

const TERMINAL = 2;

function rankOf(state: string): number {
  if (state === "TASK_STATE_SUBMITTED") return 0;
  return state === "TASK_STATE_WORKING" ? 1 : TERMINAL;
}

function isCatchingUp({ data }: StreamedEvent): boolean {
  const { artifactUpdate } = JSON.parse(data) as Told;
  return artifactUpdate !== undefined && chunksIn(artifactUpdate.artifact.parts) > 1;
}

function chunksIn(parts: readonly { readonly text?: string }[]): number {
  return parts.reduce((sum, { text = "" }) => sum + text.split(" ").length - 1, 0);
}

function storyOf(chunks: number): string {
  return Array.from({ length: chunks }, (_, index) => `${index + 1} `).join("");
}

/** The parts of the one artifact are chunks of one text. */
function textOf(task: TaskAnswer): string {
  return artifactOf(task).replaceAll("|", "");
}
