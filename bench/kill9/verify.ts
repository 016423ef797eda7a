/** After the restart: everything that was acknowledged is there, and the log tells what the streams told. */
import type { Target } from "../targets.ts";
import { artifactOf } from "./load.ts";
import { isTerminal, type StreamedEvent, type TaskRecord } from "./records.ts";
import { Session, type TaskAnswer } from "./session.ts";

const LANES = 16;

/** What is wrong, as one line each. */
export async function verify(
  target: Target,
  records: readonly TaskRecord[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const left = records.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const session = await Session.open(target);
      for (const record of left)
        for (const fault of await faultsOf(session, record))
          faults.push(`${record.agent} ${record.id} (acknowledged ${record.state}): ${fault}`);
      session.close();
    }),
  );
  return [...faults, ...(await unfinished(target))];
}

async function faultsOf(session: Session, record: TaskRecord): Promise<readonly string[]> {
  try {
    const task = await session.call<TaskAnswer>(record.agent, "GetTask", { id: record.id });
    const faults = [...stateFaults(record, task)];
    if (record.streams.length === 0) return faults;
    return [...faults, ...(await streamFaults(session, record, task))];
  } catch (thrown) {
    return [String(thrown)];
  }
}

function* stateFaults(record: TaskRecord, task: TaskAnswer): Generator<string> {
  const now = task.status.state;
  if (isTerminal(record.state)) {
    if (now !== record.state) yield `is ${now}`;
    if (record.artifact !== undefined && artifactOf(task) !== record.artifact)
      yield `has another artifact`;
  } else if (record.state.endsWith("INPUT_REQUIRED") && record.underWay === 0) {
    if (now !== record.state) yield `is ${now}`;
  } else if (!isTerminal(now) && !now.endsWith("INPUT_REQUIRED")) yield `is still ${now}`;
}

/** The log must begin at 1, have no gap, end in the task's state, and hold each event as it was streamed. */
async function streamFaults(
  session: Session,
  record: TaskRecord,
  before: TaskAnswer,
): Promise<readonly string[]> {
  const { agent, id } = record;
  // Only the log of a finished task has an end to read to.
  const task = isTerminal(before.status.state)
    ? before
    : await session.call<TaskAnswer>(agent, "CancelTask", { id });
  const log: StreamedEvent[] = [];
  const cursor = { "Last-Event-ID": "0" };
  await session.stream(agent, "SubscribeToTask", { id }, (event) => log.push(event), cursor);
  const faults = log.flatMap((event, index) =>
    event.id === index + 1 ? [] : [`log: event ${index + 1} is ${String(event.id)}`],
  );
  const last = log.at(-1)?.data ?? "";
  if (!last.includes(`"${task.status.state}"`)) faults.push(`log: ends with ${last.slice(0, 200)}`);
  for (const stream of record.streams) faults.push(...comparedToLog(stream, log));
  return faults;
}

function comparedToLog(
  { isSubscription, events }: TaskRecord["streams"][number],
  log: readonly StreamedEvent[],
): readonly string[] {
  const faults: string[] = [];
  const [first] = events;
  if (first === undefined) return faults;
  for (const [index, { id, data }] of events.entries()) {
    const expected = (first.id ?? NaN) + index;
    if (id !== expected) faults.push(`stream: event ${String(id)} where ${expected} comes`);
    // A stream on a task that was there before begins with the task as it was, not with an event of the log.
    else if (index === 0 && isSubscription) continue;
    else if (log[id - 1]?.data !== data) faults.push(`stream: event ${id} differs from the log`);
  }
  if (!isSubscription && first.id !== 1) faults.push(`stream: begins with ${String(first.id)}`);
  return faults;
}

/** No task may be left as if something worked on it. */
async function unfinished(target: Target): Promise<readonly string[]> {
  const session = await Session.open(target);
  const faults: string[] = [];
  for (const agent of ["echo", "slow"])
    for (const status of ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]) {
      const { totalSize } = await session.call<{ totalSize: number }>(agent, "ListTasks", {
        status,
      });
      if (totalSize > 0) faults.push(`${agent}: ${totalSize} tasks are left in ${status}`);
    }
  session.close();
  return faults;
}
