/** What a door says about webhooks, whatever its version. */
import assert from "node:assert/strict";
import type { Door, Fields } from "../support/doors.ts";

/** What every version can say of a webhook. */
export interface Hook {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly scheme?: string;
  readonly credentials?: string;
}

export interface Told {
  readonly text: string;
  readonly taskId?: string;
  readonly hook?: Hook;
}

export interface HookDoor {
  readonly name: string;
  readonly version: "1.0" | "0.3";
  readonly binding: Door["binding"];
  set(taskId: string, hook: Hook): Promise<Hook>;
  /** Without an id only where the door can leave it out. */
  get(taskId: string, id?: string): Promise<Hook>;
  list(taskId: string): Promise<readonly Hook[]>;
  remove(taskId: string, id: string): Promise<void>;
  /** The id of the task once its turn is over; undefined when the answer is a message. */
  send(told: Told): Promise<string | undefined>;
  /** The id of the task, whose turn may go on; gRPC 0.3 cannot say so, and leaves a stream instead. */
  begin(told: Told): Promise<string>;
  /** The id of the task of a stream that was read to its end; undefined when all it had was a message. */
  stream(told: Told): Promise<string | undefined>;
  /** Where the fields of a config stand in a request that sets one, and in one that sends one. */
  readonly paths: { readonly set: string; readonly sent: string };
  close(): void;
}

let messages = 0;
export const nextMessageId = (): string => `hooked-${++messages}`;

/** What is empty is not there: protobuf does not tell the two apart. */
export function hook(config: Fields, scheme: "scheme" | "schemes"): Hook {
  const { id, url, token } = config;
  const authentication = (config["authentication"] ?? {}) as Fields;
  const first = [authentication[scheme]].flat()[0];
  const { credentials } = authentication;
  return Object.fromEntries(
    Object.entries({ id, url, token, scheme: first, credentials }).filter(
      ([, value]) => value !== undefined && value !== "",
    ),
  ) as unknown as Hook;
}

export function listIn(answer: Fields): readonly Fields[] {
  return (answer["configs"] ?? []) as Fields[];
}

export function taskIdIn(answer: Fields): string | undefined {
  const task = answer["task"] as Fields | undefined;
  return task && String(task["id"]);
}

export async function taskIdOf<T>(
  events: AsyncIterable<T>,
  idIn: (event: T) => string | undefined,
): Promise<string | undefined> {
  let id: string | undefined;
  for await (const event of events) id ??= idIn(event);
  return id;
}

export function present(id: string | undefined): string {
  assert(id !== undefined, "the answer has no task");
  return id;
}
