/** What a module yields, which nobody has checked, as events. */
import type { HandlerEvent } from "../../core/ports.ts";
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
  const { kind, state, message, artifact, history, artifacts, metadata, append, lastChunk } = event;
  switch (kind) {
    case "message":
      return { message };
    case "status":
      return { status: { state, message }, metadata };
    case "artifact":
      return { artifact, append, lastChunk, metadata };
    case "task":
      return { task: { status: { state, message }, history, artifacts, metadata } };
    default:
      throw wrong(`${where}kind`, "expected one of message, status, artifact, task");
  }
}
