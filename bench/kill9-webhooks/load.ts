/** Tasks with webhooks, in both versions: as many lanes as there are go through a mix of ways to register them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../kill9/random.ts";
import { isTerminal } from "../kill9/records.ts";
import { Caller, Refusal, type Version } from "./caller.ts";
import {
  register,
  send,
  stateOf,
  stream,
  unregister,
  untilAnswered,
  type Client,
} from "./calls.ts";
import { AGENTS, type Beginning, type Hook, type Hooks } from "./hooks.ts";

const LANES = 48;
const RETRY_MS = 50;
/** How long a webhook may live that is deleted on the way, in milliseconds. */
const LONGEST_LIFE_MS = 600;

export interface Load {
  readonly gateway: string;
  readonly receiver: string;
  readonly hooks: Hooks;
  readonly random: Random;
  readonly tasks: number;
  /** Whether the receiver is told of deletions that nobody asked for. */
  readonly isLying: boolean;
  /** Resolves when there is room for another task. */
  room(): Promise<void>;
}

export interface Progress {
  /** Tasks that were begun. */
  begun: number;
  /** Calls that a kill has cut. */
  cut: number;
  /** Refusals: no kill explains one. */
  readonly refusals: string[];
}

interface Lane extends Client {
  readonly load: Load;
  open(beginning: Beginning, version?: Version): Hook;
  next(): string;
}

const MIX: readonly ((lane: Lane) => Promise<void>)[] = [
  sendAndWait,
  sendAndWait,
  sendAndWait,
  sendStreaming,
  sendImmediately,
  registerLater,
  askAndAnswer,
  deleteOnTheWay,
];

/** Resolves when every task was begun and has been answered, or its call was cut. */
export async function runLoad(load: Load, progress: Progress): Promise<void> {
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const caller = new Caller(load.gateway);
      while (progress.begun < load.tasks) {
        await load.room();
        await untilAnswered(() => caller.open());
        progress.begun++;
        await oneTask(laneOf(load, caller, progress.begun), progress);
      }
      caller.close();
    }),
  );
}

function laneOf(load: Load, caller: Caller, number: number): Lane {
  const { random, hooks, receiver } = load;
  const agent = AGENTS[Math.floor(random() * AGENTS.length)] ?? "all";
  const version = random() < 0.5 ? "1.0" : "0.3";
  return {
    load,
    caller,
    agent,
    version,
    receiver,
    open: (beginning, other = version) => hooks.open(agent, other, beginning),
    next: () => `text ${number}`,
  };
}

async function oneTask(lane: Lane, progress: Progress): Promise<void> {
  const story = MIX[Math.floor(lane.load.random() * MIX.length)] ?? sendAndWait;
  try {
    await story(lane);
  } catch (thrown) {
    if (thrown instanceof Refusal) {
      progress.refusals.push(`${story.name} ${lane.version}: ${thrown.message}`);
      return;
    }
    progress.cut++;
    await sleep(RETRY_MS);
  }
}

async function sendAndWait(lane: Lane): Promise<void> {
  await send(lane, { text: `fast ${lane.next()}`, hook: lane.open("first"), waits: true });
}

async function sendStreaming(lane: Lane): Promise<void> {
  await stream(lane, { text: lane.next(), hook: lane.open("first"), waits: true });
}

async function sendImmediately(lane: Lane): Promise<void> {
  await send(lane, { text: lane.next(), hook: lane.open("first"), waits: false });
}

/** One webhook of each version, while the task runs. */
async function registerLater(lane: Lane): Promise<void> {
  const first = lane.open("first");
  const taskId = await send(lane, { text: lane.next(), hook: first, waits: false });
  for (const version of ["1.0", "0.3"] as const) {
    const hook = lane.open("later", version);
    await register(lane, hook, taskId);
    hook.mustHearEnd = !isTerminal(await stateOf(lane, taskId));
  }
}

/** A further webhook comes with the answer. */
async function askAndAnswer(lane: Lane): Promise<void> {
  const asked = { text: `ask ${lane.next()}`, hook: lane.open("first"), waits: true };
  const taskId = await send(lane, asked);
  const hook = lane.open("question");
  await send(lane, { text: `fast ${lane.next()}`, hook, waits: true, taskId });
}

async function deleteOnTheWay(lane: Lane): Promise<void> {
  const { random, isLying } = lane.load;
  const hook = lane.open("first");
  const taskId = await send(lane, { text: lane.next(), hook, waits: false });
  await sleep(random() * LONGEST_LIFE_MS);
  if (!isLying) await unregister(lane, hook, taskId);
  hook.isDeleted = true;
  await tellReceiver(lane.receiver, hook);
}

/**
 * The receiver notes the deletion. What was on its way to the receiver before has been read when some requests in a row
 * have been answered: it reads all connections in turn.
 */
async function tellReceiver(receiver: string, { name }: Hook): Promise<void> {
  await untilAnswered(async () => {
    for (const path of ["ping", "ping", "ping", `deleted/${name}`])
      await (await fetch(`${receiver}/${path}`)).arrayBuffer();
  });
}
