/**
 * Answers of the operations in 0.3. What is ready-made is converted fragment by fragment; each one's text is kept with
 * it, so that a task that is asked for again, or an event that goes to many, is converted once.
 */
import type {
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskOutput,
} from "../../../protocol/model.ts";
import {
  fragmentsOf,
  isReadyMade,
  JsonText,
  type Fragment,
  type ReadyMade,
} from "../../../protocol/ready-made.ts";
import type { StreamItem } from "../../../protocol/service.ts";
import {
  legacyArtifactOf,
  legacyArtifactUpdateOf,
  legacyMessageOf,
  legacyStatusOf,
  legacyStatusUpdateOf,
  legacyTaskOf,
} from "./encode-model.ts";
import type { LegacyStatusUpdate } from "./shapes.ts";
import { membersOf } from "../fragments.ts";
import { olderFormsOf } from "../older-forms.ts";

export function kindOfTask(task: TaskOutput): unknown {
  return isReadyMade(task) ? new JsonText(textOfTask(task)) : legacyTaskOf(task);
}

export function kindOfSend(response: SendMessageResponse): unknown {
  return "task" in response ? kindOfTask(response.task) : legacyMessageOf(response.message);
}

/** @param finalStates the states, as 0.3 names them, that end a stream of this kind */
export function kindOfItem(finalStates: ReadonlySet<string>): (item: StreamItem) => unknown {
  return ({ response }) => {
    if (isReadyMade(response)) return textOfEvent(response, finalStates);
    if ("task" in response) return kindOfTask(response.task);
    return eventText(membersOf(legacyEventOf(response)), finalStates);
  };
}

function textOfTask(task: ReadyMade<Task>): string {
  let text = '{"kind":"task"';
  for (const fragment of fragmentsOf(task)) {
    if (fragment.members !== "") text += `,${keptText(fragment, taskMembers)}`;
  }
  return `${text}}`;
}

/** A run of a task's members in the form of 0.3. */
function taskMembers(members: string): string {
  const { id, contextId, status, history, artifacts, metadata } = JSON.parse(
    `{${members}}`,
  ) as Partial<Task>;
  return membersOf({
    id,
    contextId: id === undefined ? contextId : (contextId ?? ""),
    status: status && legacyStatusOf(status),
    history: history?.map(legacyMessageOf),
    artifacts: artifacts?.map(legacyArtifactOf),
    metadata,
  });
}

/** An event has one member, which becomes the whole of it: it cannot be in two fragments. */
function textOfEvent(event: ReadyMade<StreamResponse>, finalStates: ReadonlySet<string>): JsonText {
  const fragment = fragmentsOf(event).find(({ members }) => members !== "");
  if (fragment === undefined) throw new Error("an event without a member");
  return eventText(keptText(fragment, eventMembers), finalStates);
}

function eventMembers(members: string): string {
  return membersOf(legacyEventOf(JSON.parse(`{${members}}`) as PlainEvent));
}

type PlainEvent = Exclude<StreamResponse, { readonly task: TaskOutput }> | { readonly task: Task };

function legacyEventOf(event: PlainEvent): object {
  if ("statusUpdate" in event) return legacyStatusUpdateOf(event.statusUpdate);
  if ("artifactUpdate" in event) return legacyArtifactUpdateOf(event.artifactUpdate);
  if ("task" in event) return legacyTaskOf(event.task);
  return legacyMessageOf(event.message);
}

const KIND: LegacyStatusUpdate["kind"] = "status-update";
/** How the members of a status update begin, up to the name of the state. */
const STATUS_UPDATE = `"kind":"${KIND}","status":{"state":"`;

/** Every status update says whether it ends the stream; the same event may end one stream and not another. */
function eventText(members: string, finalStates: ReadonlySet<string>): JsonText {
  if (!members.startsWith(STATUS_UPDATE)) return new JsonText(`{${members}}`);
  const start = STATUS_UPDATE.length;
  const state = members.slice(start, members.indexOf('"', start));
  return new JsonText(`{${members},"final":${finalStates.has(state)}}`);
}

function keptText(fragment: Fragment, convert: (members: string) => string): string {
  const older = olderFormsOf(fragment);
  return (older.text ??= convert(fragment.members));
}
