/** What tests of access ask, and how they look at what is there. */
import assert from "node:assert/strict";
import type { OperationName } from "../../src/protocol/service.ts";
import type { Answer } from "./access-answers.ts";
import type { AccessDoor, Headers, Way } from "./access-doors.ts";
import type { Asked } from "./access-requests.ts";
import type { AccessStage, AgentId } from "./access-stage.ts";

let sent = 0;

/** A message of its own, on a task that is not there unless one is named. */
export function asking(rest: Partial<Asked> = {}): Asked {
  return { task: "", config: "hook", messageId: `m-${++sent}`, ...rest };
}

/** The first way to an operation. */
function ask(
  door: AccessDoor,
  operation: OperationName,
  asked: Asked,
  headers: Headers,
): Promise<Answer> {
  const [way] = door.ways.get(operation) ?? [];
  assert.ok(way, `${door.name} has no ${operation}`);
  return way(asked, headers);
}

export interface Begun {
  readonly task: string;
  readonly contextId: string;
}

/** A task that waits for an answer, with a webhook. */
export async function begin(
  stage: AccessStage,
  headers: Headers,
  { agent = "own", ...rest }: Partial<Asked> & { readonly agent?: AgentId } = {},
): Promise<Begun> {
  const door = stage.doorsOf(agent).find(({ name }) => name === "JSON-RPC 1.0");
  assert.ok(door);
  const { text, verdict } = await ask(door, "sendMessage", asking(rest), headers);
  assert.equal(verdict, "allowed", text);
  const { result } = JSON.parse(text) as {
    readonly result: { readonly task: { readonly id: string; readonly contextId: string } };
  };
  const { id, contextId } = result.task;
  const asked = asking({ task: id });
  const made = await ask(door, "createTaskPushNotificationConfig", asked, headers);
  assert.equal(made.verdict, "allowed", made.text);
  return { task: id, contextId };
}

/** All that its owner sees of a task. */
export async function stateOf(stage: AccessStage, task: string): Promise<string> {
  const [door] = stage.doorsOf("own");
  assert.ok(door);
  const headers = stage.headersOf("alice");
  const asked = asking({ task });
  const answers = [
    await ask(door, "getTask", asked, headers),
    await ask(door, "listTaskPushNotificationConfigs", asked, headers),
  ];
  return answers.map(({ text }) => text).join("\n");
}

/** An id as long as that one, which no task has. */
export function unknownLike(task: string): string {
  return task.replace(/.{12}$/, "000000000000");
}

/** Asks for a task that a caller does not see, and for one that is not there: the answers differ in the ids alone. */
export async function saysNothing(way: Way, asked: Asked, headers: Headers): Promise<void> {
  const about = async (named: Asked): Promise<Answer> => {
    const { text, ...answer } = await way(named, headers);
    return { ...answer, text: text.replaceAll(named.task, "<task>") };
  };
  const answer = await about(asked);
  assert.equal(answer.verdict, "not found", answer.text);
  assert.deepEqual(answer, await about({ ...asked, task: unknownLike(asked.task) }));
}
