/** What most cases here send, and how they read what comes back. */
import type { Message, Task } from "../../src/protocol/model.ts";
import type { Event, Fields } from "../support/doors.ts";

let sent = 0;

export function messageOf(
  text: string,
  rest: Partial<Message> = {},
): { readonly message: Message } {
  const messageId = `m-${++sent}`;
  return { message: { messageId, role: "ROLE_USER", parts: [{ text }], ...rest } };
}

/** A message whose sender does not wait for the end. */
export function atOnce(text: string, rest: Partial<Message> = {}) {
  return { ...messageOf(text, rest), configuration: { returnImmediately: true } };
}

/** The task of an answer or an event; throws when there is none. */
export function taskIn(answer: Fields): Task {
  if (!("task" in answer)) throw new Error(`no task in ${JSON.stringify(answer)}`);
  return answer["task"] as Task;
}

/** A task as an operation answers with it. */
export function asTask(answer: Fields): Task {
  return answer as unknown as Task;
}

export async function drained<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function nextOf<T>(items: AsyncGenerator<T>): Promise<T> {
  const { value, done } = await items.next();
  if (done === true) throw new Error("the stream has ended");
  return value;
}

/** An event in short: `task SUBMITTED`, `status WORKING`, `artifact text`, `message text`. */
export function shortOf({ response }: Event): string {
  const event = response as {
    readonly task?: Task;
    readonly statusUpdate?: { readonly status: Task["status"] };
    readonly artifactUpdate?: { readonly artifact: { readonly parts: Message["parts"] } };
    readonly message?: Message;
  };
  if (event.task) return `task ${event.task.status.state.slice(11)}`;
  if (event.statusUpdate) return `status ${event.statusUpdate.status.state.slice(11)}`;
  if (event.artifactUpdate) return `artifact ${textOf(event.artifactUpdate.artifact.parts)}`;
  return `message ${textOf(event.message?.parts ?? [])}`;
}

function textOf(parts: Message["parts"]): string {
  return parts.map(({ text }) => text ?? "").join("");
}

export function artifactTexts({ artifacts = [] }: Task): readonly string[] {
  return artifacts.map(({ parts }) => textOf(parts));
}

export function historyTexts({ history = [] }: Task): readonly string[] {
  return history.map(({ parts }) => textOf(parts));
}
