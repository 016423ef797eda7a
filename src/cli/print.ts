/** Answers for people: remote text is escaped before it reaches the terminal. */
import type { Artifact, Message, Part, Task, TaskStatus } from "../protocol/model.ts";
import { shortStateName, type TaskState } from "../protocol/states.ts";
import type { SendAnswer, StreamEvent, TaskPage } from "./client/operations.ts";
import { plainJson, plainText, plainWord } from "./plain-text.ts";

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(plainJson(value, 2));
}

export function answerLines(answer: SendAnswer): readonly string[] {
  return "message" in answer ? messageLines(answer.message) : taskLines(answer.task);
}

export function taskLines(task: Task): readonly string[] {
  return [
    `task ${plainWord(task.id)}  ${stateName(task.status.state)}`,
    `context ${plainWord(task.contextId ?? "")}`,
    ...statusText(task.status),
    ...(task.artifacts ?? []).flatMap(artifactLines),
  ];
}

export function pageLines(page: TaskPage): readonly string[] {
  return [
    ...page.tasks.map(
      ({ id, status }) =>
        `${plainWord(id)}  ${stateName(status.state).padEnd(14)}  ${plainWord(status.timestamp ?? "")}`,
    ),
    `${page.tasks.length} of ${page.totalSize}`,
    ...(page.nextPageToken ? [`more: --page-token ${plainWord(page.nextPageToken)}`] : []),
  ];
}

export function eventLines(event: StreamEvent): readonly string[] {
  if ("message" in event || "task" in event) return answerLines(event);
  if ("artifactUpdate" in event) return artifactLines(event.artifactUpdate.artifact);
  const { status } = event.statusUpdate;
  return [stateName(status.state), ...statusText(status)];
}

/** `input-required`, as the configuration writes it. */
export function stateName(state: TaskState): string {
  return plainWord(shortStateName(state));
}

function statusText({ message }: TaskStatus): readonly string[] {
  return message === undefined ? [] : messageLines(message);
}

function messageLines({ parts }: Message): readonly string[] {
  return parts.map(partText);
}

function artifactLines({ artifactId, name, parts }: Artifact): readonly string[] {
  return [`artifact ${plainWord(name ?? artifactId)}`, ...runsOf(parts).map(partText)];
}

/** Text parts that follow each other are pieces of one text. */
function runsOf(parts: readonly Part[]): readonly Part[] {
  const runs: Part[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (part.text === undefined || last?.text === undefined) runs.push(part);
    else runs[runs.length - 1] = { ...last, text: last.text + part.text };
  }
  return runs;
}

function partText(part: Part): string {
  if (part.text !== undefined) return plainText(part.text);
  if (part.data !== undefined) return plainJson(part.data);
  const name = plainWord(part.filename ?? "file");
  const type = part.mediaType === undefined ? "" : ` (${plainWord(part.mediaType)})`;
  if (part.url !== undefined) return `${name}${type} at ${plainWord(part.url)}`;
  return `${name}${type}, ${Buffer.from(part.raw ?? "", "base64").length} bytes`;
}
