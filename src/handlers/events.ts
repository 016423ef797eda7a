/**
 * What an agent outside the gateway answers with, as JSON. The same events come as lines from programs, as JSON, JSON
 * lines or SSE from HTTP endpoints, and as objects from modules. An event has exactly one of these members:
 *
 *     {"message": "hi"}                                  answers without a task, when it is the only event
 *     {"message": {"parts": [{"text": "hi"}], "metadata": {…}}}
 *     {"status": "working"}                              moves the task to a state
 *     {"status": {"state": "input-required", "message": "which city?"}, "metadata": {…}}
 *     {"artifact": "some text"}                          adds an artifact
 *     {"artifact": {"artifactId": "a", "name": "report", "parts": […]}, "append": true, "lastChunk": false, "metadata": {…}}
 *     {"task": {"status": …, "history": […], "artifacts": […], "metadata": {…}}}   the whole task as the agent sees it
 *     {"error": {"name": "task_not_found", "message": "no order 7"}}               ends the turn with an error
 *
 * Messages, artifacts and parts are the ProtoJSON of A2A 1.0 without what the gateway adds (ids of messages, roles,
 * timestamps); a text stands for `{"parts": [{"text": …}]}`, and `{"text": …}` is understood too. States are `submitted`,
 * `working`, `completed`, `failed`, `canceled`, `input-required`, `rejected`, `auth-required`, or the 1.0 names
 * (`TASK_STATE_COMPLETED`). `append` needs the artifactId of an artifact that came before. In `task`, messages of the
 * history need messageId and role, artifacts an artifactId; its id and contextId are not read. The names of errors are
 * `task_not_found`, `task_not_cancelable`, `unsupported_operation`, `content_type_not_supported` and `invalid_params`; an
 * error before the first event is the caller's answer, a later one fails the task. Unknown members are ignored.
 *
 * Several events may come as a list, or as `{"actions": [{"type": "a2a_reply", …}]}`, where each action has exactly one
 * of `message`, `task`, `tasks` (several looks at the one task, in order) and `error`.
 */
import type { HandlerEvent } from "../core/ports/handler.ts";
import { A2AError } from "../protocol/errors.ts";
import { artifactOf, messageOf, pastMessageOf, stateOf, storedArtifactOf } from "./content.ts";
import {
  at,
  fieldsOf,
  flagOf,
  jsonObjectOf,
  listOf,
  member,
  optional,
  textOf,
  wrong,
  type Fields,
} from "./fields.ts";
import { ERROR_NAMES, REASON_OF, type ErrorName } from "./names.ts";

type Decode = (event: Fields, path: string) => HandlerEvent;

const EVENTS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["message", messageEventOf],
  ["status", statusEventOf],
  ["artifact", artifactEventOf],
  ["task", taskEventOf],
  ["error", throwError],
]);

const EVENT_NAMES: readonly string[] = [...EVENTS.keys()];
const REPLY_NAMES: readonly string[] = ["message", "task", "tasks", "error"];

/**
 * The events of one JSON value, in order; throws INVALID_AGENT_RESPONSE with the path of what is wrong, or the agent's
 * error when the iteration comes to it. `where` comes before each path: `line 3: `.
 */
export function* eventsOf(outside: unknown, where = ""): Generator<HandlerEvent, void, undefined> {
  if (Array.isArray(outside)) {
    for (const [index, event] of outside.entries())
      yield eventOf(event, `${where}[${index}]`, EVENT_NAMES);
    return;
  }
  const fields = fieldsOf(outside, where);
  const actions = member(fields, "actions");
  if (actions === undefined) yield eventOf(fields, where, EVENT_NAMES);
  else yield* actionsOf(actions, at(where, "actions"));
}

function eventOf(value: unknown, path: string, names: readonly string[]): HandlerEvent {
  const event = fieldsOf(value, path);
  const name = onlyMember(event, names, path);
  const decode = EVENTS.get(name);
  if (decode === undefined) throw wrong(path, `no event "${name}"`);
  return decode(event, path);
}

function* actionsOf(value: unknown, path: string): Generator<HandlerEvent, void, undefined> {
  for (const [index, action] of listOf(value, path).entries())
    yield* actionOf(action, `${path}[${index}]`);
}

function* actionOf(value: unknown, path: string): Generator<HandlerEvent, void, undefined> {
  const action = fieldsOf(value, path);
  if (member(action, "type") !== "a2a_reply") throw wrong(at(path, "type"), 'expected "a2a_reply"');
  if (onlyMember(action, REPLY_NAMES, path) === "tasks") {
    const place = at(path, "tasks");
    const tasks = listOf(member(action, "tasks"), place);
    if (tasks.length === 0) throw wrong(place, "expected at least one task");
    for (const [index, task] of tasks.entries()) yield taskOf(task, `${place}[${index}]`);
  } else {
    yield eventOf(action, path, REPLY_NAMES);
  }
}

function onlyMember(fields: Fields, names: readonly string[], path: string): string {
  const [name, ...others] = names.filter((candidate) => member(fields, candidate) !== undefined);
  if (name === undefined || others.length > 0)
    throw wrong(path, `expected exactly one of ${names.join(", ")}`);
  return name;
}

function messageEventOf(event: Fields, path: string): HandlerEvent {
  return { kind: "message", message: messageOf(member(event, "message"), at(path, "message")) };
}

function statusEventOf(event: Fields, path: string): HandlerEvent {
  return {
    kind: "status",
    ...statusOf(member(event, "status"), at(path, "status")),
    ...optional(event, path, "metadata", jsonObjectOf),
  };
}

function artifactEventOf(event: Fields, path: string): HandlerEvent {
  const place = at(path, "artifact");
  const artifact = artifactOf(member(event, "artifact"), place);
  const append = optional(event, path, "append", flagOf);
  if (append.append && artifact.artifactId === undefined)
    throw wrong(at(place, "artifactId"), "expected, since append is true");
  return {
    kind: "artifact",
    artifact,
    ...append,
    ...optional(event, path, "lastChunk", flagOf),
    ...optional(event, path, "metadata", jsonObjectOf),
  };
}

function taskEventOf(event: Fields, path: string): HandlerEvent {
  return taskOf(member(event, "task"), at(path, "task"));
}

function taskOf(value: unknown, path: string): HandlerEvent {
  const fields = fieldsOf(value, path);
  return {
    kind: "task",
    ...statusOf(member(fields, "status"), at(path, "status")),
    ...optional(fields, path, "history", eachOf(pastMessageOf)),
    ...optional(fields, path, "artifacts", eachOf(storedArtifactOf)),
    ...optional(fields, path, "metadata", jsonObjectOf),
  };
}

function statusOf(value: unknown, path: string) {
  if (typeof value === "string") return { state: stateOf(value, path) };
  const fields = fieldsOf(value, path);
  return {
    state: stateOf(member(fields, "state"), at(path, "state")),
    ...optional(fields, path, "message", messageOf),
  };
}

function eachOf<T>(decode: (value: unknown, path: string) => T) {
  return (value: unknown, path: string): readonly T[] =>
    listOf(value, path).map((one, index) => decode(one, `${path}[${index}]`));
}

function throwError(event: Fields, path: string): never {
  const place = at(path, "error");
  const error = fieldsOf(member(event, "error"), place);
  const name = member(error, "name");
  if (!isErrorName(name))
    throw wrong(at(place, "name"), `expected one of ${ERROR_NAMES.join(", ")}`);
  const { message = name.replaceAll("_", " ") } = optional(error, place, "message", textOf);
  throw new A2AError(REASON_OF[name], message);
}

function isErrorName(name: unknown): name is ErrorName {
  return (ERROR_NAMES as readonly unknown[]).includes(name);
}
