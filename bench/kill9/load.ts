/** The mix of calls that the kill interrupts. Every lane calls until its connection goes away. */
import { textMessage } from "../live-streams.ts";
import type { Target } from "../targets.ts";
import type { Random } from "./random.ts";
import { isTerminal, type Records, type StreamedEvent, type TaskRecord } from "./records.ts";
import { Refusal, Session, type TaskAnswer } from "./session.ts";

interface Lane {
  readonly session: Session;
  readonly records: Records;
  readonly random: Random;
  /** Distinguishes the texts. */
  next(): string;
}

export interface LoadCounts {
  calls: number;
  /** Refusals that no race explains; each is a failure. */
  readonly refusals: string[];
}

const MIX: readonly ((lane: Lane) => Promise<void>)[] = [
  sendAndWait,
  sendAndWait,
  sendStreaming,
  sendStreaming,
  streamSlowly,
  sendImmediately,
  sendImmediatelyAndCancel,
  subscribe,
  askAndAnswer,
  askAndAnswerStreaming,
];

/** Resolves when every lane has lost its connection. */
export async function loadUntilKilled(
  target: Target,
  records: Records,
  options: { readonly lanes: number; readonly random: Random },
): Promise<LoadCounts> {
  const counts: LoadCounts = { calls: 0, refusals: [] };
  const { lanes, random } = options;
  const next = () => `text ${counts.calls} ${random().toString(36).slice(2)}`;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      let session: Session | undefined;
      try {
        session = await Session.open(target);
        for (;;) await oneCall({ session, records, random, next }, counts);
      } catch (thrown) {
        if (thrown instanceof Refusal) throw thrown;
      } finally {
        session?.close();
      }
    }),
  );
  return counts;
}

async function oneCall(lane: Lane, counts: LoadCounts): Promise<void> {
  const call = MIX[Math.floor(lane.random() * MIX.length)] ?? sendAndWait;
  try {
    await call(lane);
    counts.calls++;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    counts.refusals.push(`${call.name}: ${thrown.message}`);
  }
}

async function sendAndWait(lane: Lane): Promise<void> {
  await send(lane, "echo", lane.next());
}

async function sendStreaming(lane: Lane): Promise<void> {
  await stream(lane, "slow", `fast ${lane.next()}`);
}

async function streamSlowly(lane: Lane): Promise<void> {
  await stream(lane, "slow", lane.next());
}

async function sendImmediately(lane: Lane): Promise<void> {
  await send(lane, "slow", lane.next(), { configuration: { returnImmediately: true } });
}

async function sendImmediatelyAndCancel(lane: Lane): Promise<void> {
  const configuration = { returnImmediately: true };
  const record = await send(lane, "slow", lane.next(), { configuration });
  await changing(record, async () => {
    acknowledge(
      lane,
      "slow",
      await lane.session.call<TaskAnswer>("slow", "CancelTask", { id: record.id }),
    );
  });
}

async function subscribe(lane: Lane): Promise<void> {
  const configuration = { returnImmediately: true };
  const record = await send(lane, "slow", lane.next(), { configuration });
  const events: StreamedEvent[] = [];
  record.streams.push({ isSubscription: true, events });
  await lane.session.stream("slow", "SubscribeToTask", { id: record.id }, (event) => {
    events.push(event);
    lane.records.acknowledge("slow", record.id, stateIn(event));
  });
}

async function askAndAnswer(lane: Lane): Promise<void> {
  const record = await send(lane, "slow", `ask ${lane.next()}`);
  await changing(record, async () => {
    await send(lane, "slow", `fast ${lane.next()}`, {}, { taskId: record.id });
  });
}

async function askAndAnswerStreaming(lane: Lane): Promise<void> {
  const record = await send(lane, "slow", `ask ${lane.next()}`);
  await changing(record, () => stream(lane, "slow", `fast ${lane.next()}`, { taskId: record.id }));
}

async function send(
  lane: Lane,
  agent: string,
  text: string,
  more: object = {},
  ofMessage: object = {},
): Promise<TaskRecord> {
  const params = { ...textMessage(text, ofMessage), ...more };
  const { task } = await lane.session.call<{ task: TaskAnswer }>(agent, "SendMessage", params);
  return acknowledge(lane, agent, task);
}

async function stream(
  lane: Lane,
  agent: string,
  text: string,
  ofMessage: object = {},
): Promise<void> {
  const events: StreamedEvent[] = [];
  let record: TaskRecord | undefined;
  await lane.session.stream(
    agent,
    "SendStreamingMessage",
    textMessage(text, ofMessage),
    (event) => {
      const id = record?.id ?? (JSON.parse(event.data) as { task: TaskAnswer }).task.id;
      const known = lane.records.acknowledge(agent, id, stateIn(event));
      if (!record) known.streams.push({ isSubscription: "taskId" in ofMessage, events });
      record = known;
      events.push(event);
    },
  );
}

function acknowledge(lane: Lane, agent: string, task: TaskAnswer): TaskRecord {
  const record = lane.records.acknowledge(agent, task.id, task.status.state);
  if (isTerminal(task.status.state)) record.artifact = artifactOf(task);
  return record;
}

export function artifactOf({ artifacts = [] }: TaskAnswer): string {
  return artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? "")).join("|");
}

/** While the work goes on, nobody can say how far the gateway gets with it. */
async function changing(record: TaskRecord, work: () => Promise<void>): Promise<void> {
  record.underWay++;
  await work();
  record.underWay--;
}

function stateIn({ data }: StreamedEvent): string | undefined {
  const { task, statusUpdate } = JSON.parse(data) as {
    task?: TaskAnswer;
    statusUpdate?: TaskAnswer;
  };
  return (task ?? statusUpdate)?.status.state;
}
