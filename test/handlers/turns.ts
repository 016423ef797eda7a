/** Turns for handlers, and what handlers answered. */
import type { Handler, HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { Log } from "../../src/core/ports/log.ts";
import type { Part } from "../../src/protocol/model.ts";

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function turnOf(parts: string | readonly Part[], changes: Partial<Turn> = {}): Turn {
  return {
    agent: "tested",
    taskId: "task-1",
    contextId: "context-1",
    contextGiven: false,
    message: {
      messageId: "message-1",
      role: "ROLE_USER",
      parts: typeof parts === "string" ? [{ text: parts }] : parts,
    },
    task: undefined,
    referencedTasks: [],
    upstream: undefined,
    referencedUpstreams: new Map(),
    acceptedOutputModes: [],
    blocking: true,
    metadata: undefined,
    extensions: [],
    principal: { id: "", tenant: "" },
    hops: 0,
    headers: {},
    signal: new AbortController().signal,
    ...changes,
  };
}

/** A turn whose message has this id. */
export function turnWithId(messageId: string): Turn {
  return turnOf("hi", { message: { messageId, role: "ROLE_USER", parts: [{ text: "hi" }] } });
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function answer(handler: Handler, turn: Turn): Promise<HandlerEvent[]> {
  return allOf(handler.handle(turn));
}

/** The text of each event's first part, in order. */
export function textsIn(events: readonly HandlerEvent[]): (string | undefined)[] {
  return events.map((event) => {
    if (event.kind === "artifact") return event.artifact.parts[0]?.text;
    return event.kind === "upstream" ? undefined : event.message?.parts[0]?.text;
  });
}

/** `working`, `artifact`, `message` …: what happened, in order. */
export function stepsIn(events: readonly HandlerEvent[]): string[] {
  return events.map((event) =>
    event.kind === "status"
      ? event.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-")
      : event.kind,
  );
}
