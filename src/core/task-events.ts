/** What a handler says, as the events of its task: ids, roles, times and the history are added here. */
import type { JsonObject } from "../protocol/json.ts";
import type { Artifact, Message, Task, TaskArtifactUpdateEvent } from "../protocol/model.ts";
import type { TaskState } from "../protocol/states.ts";
import type { LiveTask, TaskEvent } from "./apply-event.ts";
import type { Clock } from "./ports/clock.ts";
import type { HandlerArtifact, HandlerEvent, HandlerMessage } from "./ports/handler.ts";

/** What changes a task: not the answer by a message, which needs none, and not the place where it lives. */
export type HandlerTaskEvent = Exclude<HandlerEvent, { kind: "message" | "upstream" }>;

/** The first event of a new task (generation 1): the Task, SUBMITTED, with the caller's message. */
export function openingOf(
  id: string,
  contextId: string,
  message: Message,
  clock: Clock,
): TaskEvent {
  const status = { state: "TASK_STATE_SUBMITTED", timestamp: timestampOf(clock) } as const;
  return { task: { id, contextId, status, history: [message] } };
}

/** The first event of a further turn: the task works again, and the caller's message is in its history. */
export function reopeningOf(live: LiveTask, message: Message, clock: Clock): TaskEvent {
  return statusEventOf(live, { state: "TASK_STATE_WORKING" }, clock, [message]);
}

export function taskEventOf(live: LiveTask, event: HandlerTaskEvent, clock: Clock): TaskEvent {
  switch (event.kind) {
    case "status":
      return statusEventOf(live, event, clock, newTo(live, event.history));
    case "artifact":
      return {
        artifactUpdate: {
          taskId: live.id,
          contextId: live.contextId,
          artifact: withId(event.artifact, clock),
          ...(event.append && { append: true }),
          ...lastChunkOf(event),
          ...(event.metadata && { metadata: event.metadata }),
        },
      };
    case "task":
      return { task: merged(live, event, clock) };
  }
}

/** A first chunk that is not the last one says so: nothing else tells it from an artifact that is whole. */
function lastChunkOf({
  append,
  lastChunk,
}: HandlerEvent & { kind: "artifact" }): Pick<TaskArtifactUpdateEvent, "lastChunk"> {
  if (lastChunk) return { lastChunk };
  return lastChunk === false && !append ? { lastChunk } : {};
}

/** The messages that are not in the history yet, as messages of the task. */
function newTo(live: LiveTask, messages: readonly Message[] = []): readonly Message[] {
  if (messages.length === 0) return messages;
  const known = new Set(live.history.map(({ messageId }) => messageId));
  const current = live.status.message?.messageId;
  if (current !== undefined) known.add(current);
  return messages
    .filter(({ messageId }) => !known.has(messageId))
    .map((message) => ({ ...message, contextId: live.contextId, taskId: live.id }));
}

function withId(artifact: HandlerArtifact, clock: Clock): Artifact {
  const { artifactId = clock.newId() } = artifact;
  return Object.assign({}, artifact, { artifactId });
}

interface NewStatus {
  readonly state: TaskState;
  readonly message?: HandlerMessage;
  readonly metadata?: JsonObject;
}

export function statusEventOf(
  live: LiveTask,
  { state, message, metadata }: NewStatus,
  clock: Clock,
  history: readonly Message[] = [],
): TaskEvent {
  const entering = [...supersededMessage(live), ...history];
  return {
    statusUpdate: {
      taskId: live.id,
      contextId: live.contextId,
      status: {
        state,
        ...(message && { message: agentMessageOf(message, live.contextId, live.id, clock) }),
        timestamp: timestampOf(clock),
      },
      ...(metadata && { metadata }),
    },
    ...(entering.length > 0 && { history: entering }),
  };
}

/** A handler's message with the ids and the role that it left out. */
export function agentMessageOf(
  message: HandlerMessage,
  contextId: string,
  taskId: string | undefined,
  clock: Clock,
): Message {
  return {
    messageId: message.messageId ?? clock.newId(),
    contextId,
    ...(taskId !== undefined && { taskId }),
    role: "ROLE_AGENT",
    parts: message.parts,
    ...(message.metadata && { metadata: message.metadata }),
    ...(message.extensions && { extensions: message.extensions }),
    ...(message.referenceTaskIds && { referenceTaskIds: message.referenceTaskIds }),
  };
}

/** The message of a status moves into the history once the status is replaced. */
function supersededMessage({ status, history }: LiveTask): readonly Message[] {
  const { message } = status;
  if (!message || history.some((known) => known.messageId === message.messageId)) return [];
  return [message];
}

/** The stored task with what a snapshot adds to it: items known by their ids stay where they are. */
function merged(live: LiveTask, event: HandlerTaskEvent & { kind: "task" }, clock: Clock): Task {
  const history = [...live.history];
  const known = new Set(history.map((message) => message.messageId));
  const current = event.message && agentMessageOf(event.message, live.contextId, live.id, clock);
  for (const message of [...supersededMessage(live), ...(event.history ?? [])]) {
    if (known.has(message.messageId) || message.messageId === current?.messageId) continue;
    known.add(message.messageId);
    history.push({ ...message, contextId: live.contextId, taskId: live.id });
  }
  const artifacts = new Map<string, Artifact>();
  for (const artifact of live.artifacts) artifacts.set(artifact.artifactId, artifact);
  for (const artifact of event.artifacts ?? []) artifacts.set(artifact.artifactId, artifact);
  const metadata = (live.metadata || event.metadata) && { ...live.metadata, ...event.metadata };
  return {
    id: live.id,
    contextId: live.contextId,
    status: {
      state: event.state,
      ...(current && { message: current }),
      timestamp: timestampOf(clock),
    },
    history,
    artifacts: [...artifacts.values()].map(({ parts, ...rest }) => ({
      ...rest,
      parts: [...parts],
    })),
    ...(metadata && { metadata }),
  };
}

let latest = { instant: 0, text: new Date(0).toISOString() };

/** Now, as the protocol writes it (spec 5.6.1). Events come many to a millisecond: the last text is kept. */
function timestampOf(clock: Clock): string {
  const instant = clock.now();
  if (instant !== latest.instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}
