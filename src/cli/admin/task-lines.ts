/** A task that the gateway keeps, and what happened to it, for people. */
import type { Task } from "../../protocol/model.ts";
import { shortStateName } from "../../protocol/states.ts";
import type { StreamEvent } from "../client/operations.ts";
import { member } from "../client/remote-error.ts";
import { decodeJson } from "../client/wire.ts";
import { eventLines, taskLines } from "../print.ts";
import { wordIn } from "./fields.ts";
import type { Column } from "./table.ts";

export const TASK_COLUMNS: readonly Column[] = [
  { title: "ID", cell: (task) => wordIn(task, "id") },
  { title: "AGENT", cell: (task) => wordIn(task, "agent") },
  { title: "STATE", cell: stateOf },
  { title: "TIME", cell: (task) => wordIn(task, "timestamp") },
  { title: "OWNER", cell: (task) => wordIn(task, "owner") },
  { title: "CONTEXT", cell: (task) => wordIn(task, "contextId") },
];

/** What the gateway knows of a task beside the task itself. */
export function foundTaskLines(found: unknown): readonly string[] {
  const upstream = member(found, "upstream");
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["agent", wordIn(found, "agent")],
    ["owner", wordIn(found, "owner")],
    ["created", wordIn(found, "createdAt")],
    ["changed", wordIn(found, "timestamp")],
    ["generation", wordIn(found, "generation")],
    ["upstream", wordIn(upstream, "taskId")],
  ];
  return facts.filter(([, value]) => value !== "").map(([name, value]) => `${name} ${value}`);
}

/** The task in an answer that is one, or that holds one. */
export function taskLinesIn(answer: unknown): readonly string[] {
  return taskLines(decodeJson("Task", member(answer, "task") ?? answer) as Task);
}

export function entryLines(entry: unknown): readonly string[] {
  const event = decodeJson("StreamResponse", member(entry, "event")) as StreamEvent;
  const [first = "", ...rest] = eventLines(event);
  return [`${wordIn(entry, "generation")}  ${first}`, ...rest];
}

function stateOf(task: unknown): string {
  return shortStateName(wordIn(task, "state"));
}
