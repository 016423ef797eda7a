/** What the remote agent tells of a message: an echo, or, for `flood COUNT`, one artifact in so many equal chunks. */
import { randomUUID } from "node:crypto";

export interface SentMessage {
  readonly messageId?: string;
  readonly role?: string;
  readonly parts?: readonly { readonly text?: string }[];
}

/** The events of a stream: `chunk` comes `count` times, so that it is written down once. */
export interface Story {
  readonly head: readonly object[];
  readonly chunk: object;
  readonly count: number;
  readonly tail: readonly object[];
}

const CHUNK = "a chunk of about sixty-four characters, as a model would say ...";

/** The task in its last state, as SendMessage answers. Only for echoes. */
export function taskOf(message: SentMessage): object {
  const key = newKey();
  return { id: key.taskId, contextId: key.contextId, ...ended(message) };
}

function ended(message: SentMessage): object {
  const artifacts = [{ artifactId: "echo", name: "echo", parts: [{ text: textOf(message) }] }];
  return { status: { state: "TASK_STATE_COMPLETED" }, artifacts, history: [message] };
}

export function storyOf(message: SentMessage): Story {
  const key = newKey();
  const text = textOf(message);
  const [word, count] = text.split(" ");
  const isFlood = word === "flood";
  const artifact = isFlood
    ? { artifactId: "flood", parts: [{ text: CHUNK }] }
    : { artifactId: "echo", name: "echo", parts: [{ text }] };
  const status = (state: string) => ({ statusUpdate: { ...key, status: { state } } });
  const { taskId: id, contextId } = key;
  const task = { id, contextId, status: { state: "TASK_STATE_SUBMITTED" }, history: [message] };
  return {
    head: [{ task }, status("TASK_STATE_WORKING"), { artifactUpdate: { ...key, artifact } }],
    chunk: { artifactUpdate: { ...key, artifact, append: true } },
    count: isFlood ? Math.max(0, Number(count) - 1) : 0,
    tail: [status("TASK_STATE_COMPLETED")],
  };
}

function newKey(): { readonly taskId: string; readonly contextId: string } {
  return { taskId: randomUUID(), contextId: randomUUID() };
}

function textOf({ parts }: SentMessage): string {
  return parts?.[0]?.text ?? "";
}
