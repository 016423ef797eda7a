/** Tasks of the remote agent, each watched by a client that comes back where its stream was cut. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { textMessage } from "../live-streams.ts";
import type { Target } from "../targets.ts";
import { isTerminal, type StreamedEvent } from "./records.ts";
import { Refusal, Session, type TaskAnswer } from "./session.ts";

export interface WatchedTask {
  readonly agent: string;
  /** Kept on all sides, so that the remote agent's task can be found by it. */
  readonly contextId: string;
  readonly end: string;
  readonly chunks: number;
  /** Undefined until the first event. */
  id: string | undefined;
  readonly events: StreamedEvent[];
  /** How often a stream was cut after it had told something. */
  cuts: number;
}

export interface Watching {
  readonly tasks: readonly WatchedTask[];
  /** Resolves when every task has told its first chunk. */
  readonly begun: Promise<void>;
  /** Resolves when every stream has come to its end, or has been given up. */
  readonly ended: Promise<void>;
}

const ENDS = ["COMPLETED", "COMPLETED", "FAILED", "REJECTED"];
const RETRY_MS = 50;

export interface Load {
  readonly count: number;
  readonly chunks: number;
  readonly pauseMs: number;
  readonly deadlineMs: number;
}

/** Begins as many tasks as `count`, spread over the agents. */
export function watchTasks(target: Target, agents: readonly string[], load: Load): Watching {
  const tasks = Array.from({ length: load.count }, (_, index) => newTask(agents, index, load));
  const deadline = Date.now() + load.deadlineMs;
  const begun: Promise<void>[] = [];
  const ended = tasks.map((task) => {
    let begin = () => {};
    begun.push(
      new Promise((resolve) => {
        begin = resolve;
      }),
    );
    const onEvent = (event: StreamedEvent) => {
      task.id ??= (JSON.parse(event.data) as { task?: TaskAnswer }).task?.id;
      task.events.push(event);
      if (event.data.includes('"artifactUpdate"')) begin();
    };
    return watch(target, task, { load, deadline, onEvent }).finally(begin);
  });
  return {
    tasks,
    begun: Promise.all(begun).then(() => undefined),
    ended: Promise.all(ended).then(() => undefined),
  };
}

function newTask(agents: readonly string[], index: number, { chunks }: Load): WatchedTask {
  return {
    agent: agents[index % agents.length] ?? "",
    contextId: randomUUID(),
    end: ENDS[Math.floor(index / agents.length) % ENDS.length] ?? "",
    chunks,
    id: undefined,
    events: [],
    cuts: 0,
  };
}

interface Watch {
  readonly load: Load;
  readonly deadline: number;
  onEvent(event: StreamedEvent): void;
}

async function watch(
  target: Target,
  task: WatchedTask,
  { load, deadline, onEvent }: Watch,
): Promise<void> {
  const text = `story ${task.chunks} ${load.pauseMs} ${task.end}`;
  const opening = textMessage(text, { contextId: task.contextId });
  while (!isEnded(task) && Date.now() < deadline) {
    let session: Session | undefined;
    const told = task.events.length;
    try {
      session = await Session.open(target);
      const { agent, id } = task;
      if (id === undefined) await session.stream(agent, "SendStreamingMessage", opening, onEvent);
      else {
        const cursor = { "Last-Event-ID": String(task.events.at(-1)?.id) };
        await session.stream(agent, "SubscribeToTask", { id }, onEvent, cursor);
      }
    } catch (thrown) {
      // A gateway that is starting may not take the call yet.
      if (thrown instanceof Refusal && task.id === undefined) throw thrown;
      if (task.events.length > told) task.cuts++;
      await sleep(RETRY_MS);
    } finally {
      session?.close();
    }
  }
}

function isEnded({ events }: WatchedTask): boolean {
  const last = events.at(-1);
  if (last === undefined) return false;
  const { task, statusUpdate } = JSON.parse(last.data) as {
    task?: TaskAnswer;
    statusUpdate?: TaskAnswer;
  };
  return isTerminal((task ?? statusUpdate)?.status.state ?? "");
}
