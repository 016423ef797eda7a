/** What a module yields, which nobody has checked, as events. */
import type { HandlerEvent } from "../../core/ports/handler.ts";
import { eventsOf } from "../events.ts";
import { fieldsOf, isFields, wrong, type Fields } from "../fields.ts";

/**
 * HandlerEvents (with `kind`), and everything that events.ts describes. A copy: what a module does to an object later
 * changes nothing. Throws INVALID_AGENT_RESPONSE.
 */
export function eventsOfYielded(value: unknown, where: string): Iterable<HandlerEvent> {
  const copy = jsonCopy(value, where);
  return eventsOf(isFields(copy) && "kind" in copy ? outsideFormOf(copy, where) : copy, where);
}

function jsonCopy(value: unknown, where: string): unknown {
  fieldsOf(Array.isArray(value) ? {} : value, where);
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    throw wrong(where, "not JSON");
  }
}

function outsideFormOf(event: Fields, where: string): Fields {
  const form = OUTSIDE_FORMS.get(event["kind"]);
  if (form === undefined)
    throw wrong(`${where}kind`, `expected one of ${[...OUTSIDE_FORMS.keys()].join(", ")}`);
  return form(event);
}

/** A HandlerEvent in the form that programs write, by its kind. */
const OUTSIDE_FORMS: ReadonlyMap<unknown, (event: Fields) => Fields> = new Map<
  unknown,
  (event: Fields) => Fields
>([
  ["message", ({ message }) => ({ message })],
  ["status", ({ state, message, metadata }) => ({ status: { state, message }, metadata })],
  [
    "artifact",
    ({ artifact, append, lastChunk, metadata }) => ({ artifact, append, lastChunk, metadata }),
  ],
  [
    "task",
    ({ state, message, history, artifacts, metadata }) => ({
      task: { status: { state, message }, history, artifacts, metadata },
    }),
  ],
]);
