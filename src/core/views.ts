/** Stored tasks as a caller asked to see them: with all, some or no history, with or without artifacts. */
import { invalidParams } from "../protocol/errors.ts";
import type { Message, Task, TaskOutput } from "../protocol/model.ts";
import { fragmentsOf, isReadyMade, readyMade, type Fragment } from "../protocol/ready-made.ts";
import { taskOf } from "./apply-event.ts";
import { foldStored } from "./log-entry.ts";
import { FRAGMENT, type ListedTask } from "./ports/task-store.ts";

export interface View {
  /** How many of the newest messages to show; undefined for all, 0 for no `history` member (spec 3.2.4). */
  readonly historyLength: number | undefined;
  readonly artifacts: boolean;
}

const ABSENT: Fragment = { members: "" };

/**
 * A page of a list ends early at so many characters: gRPC clients take 4 MiB at a time unless told otherwise, and a
 * character becomes six bytes at most, in a list of small numbers.
 */
const PAGE_CHARACTERS = 650_000;

/** Throws INVALID_PARAMS, with that field path, for a negative length. */
export function checkHistoryLength(length: number | undefined, field: string): void {
  if (length !== undefined && length < 0) {
    throw invalidParams([{ field, description: `must not be negative, got ${length}` }]);
  }
}

export function viewOf(stored: ListedTask, { historyLength, artifacts }: View): TaskOutput {
  if (artifacts) assertWhole(stored);
  if (stored.tail.length > 0) {
    return viewOfTask(taskOf(foldStored(stored)), { historyLength, artifacts });
  }
  if (historyLength === undefined) return artifacts ? stored.task : withoutArtifacts(stored);
  const fragments = [...fragmentsOf(stored.task)];
  if (!artifacts) fragments[FRAGMENT.artifacts] = ABSENT;
  const history = fragments[FRAGMENT.history];
  if (history && historyLength !== undefined) {
    fragments[FRAGMENT.history] = historyLength === 0 ? ABSENT : newest(history, historyLength);
  }
  return readyMade(fragments);
}

/** How much of the tasks is worth reading for a page: with some of the history left out, more than is shown. */
export function readLimitOf({ historyLength }: View): number {
  return historyLength === undefined ? PAGE_CHARACTERS : 12 * PAGE_CHARACTERS;
}

function assertWhole(stored: ListedTask): void {
  if (!stored.whole) throw new Error(`the artifacts of task ${stored.id} were not read`);
}

/** The first of the tasks, as many as fit on a page: at least one. */
export function fittingPage(tasks: readonly TaskOutput[]): readonly TaskOutput[] {
  let characters = 0;
  const fitting = tasks.findIndex((task, index) => {
    characters += charactersOf(task);
    return index > 0 && characters > PAGE_CHARACTERS;
  });
  return fitting < 0 ? tasks : tasks.slice(0, fitting);
}

function charactersOf(task: TaskOutput): number {
  if (!isReadyMade(task)) return JSON.stringify(task).length;
  let characters = 0;
  for (const { members } of fragmentsOf(task)) characters += members.length;
  return characters;
}

/** Lists ask for the same view of the same tasks again and again: it is kept, with what is kept at it. */
const SUMMARIES = new WeakMap<ListedTask, TaskOutput>();

function withoutArtifacts(stored: ListedTask): TaskOutput {
  const known = SUMMARIES.get(stored);
  if (known) return known;
  const summary = readyMade<Task>(
    fragmentsOf(stored.task).filter((_, index) => index !== FRAGMENT.artifacts),
  );
  SUMMARIES.set(stored, summary);
  return summary;
}

function newest(history: Fragment, length: number): Fragment {
  if (history.members === "") return history;
  const { history: messages } = JSON.parse(`{${history.members}}`) as { history: Message[] };
  if (messages.length <= length) return history;
  return { members: `"history":${JSON.stringify(messages.slice(-length))}` };
}

function viewOfTask(task: Task, { historyLength, artifacts: withArtifacts }: View): Task {
  const { history = [], artifacts, ...rest } = task;
  return {
    ...rest,
    ...(historyLength !== 0 && {
      history: historyLength === undefined ? history : history.slice(-historyLength),
    }),
    ...(withArtifacts && { artifacts: artifacts ?? [] }),
  };
}
