/** The events of a stream over HTTP. */
import type { ClientEvent } from "../../../wire/client.ts";
import { parsed } from "../../lines.ts";
import { openSseReader, type SseEvent } from "../../sse.ts";

/** What the JSON of an event of that name says. Throws the agent's error, and INVALID_AGENT_RESPONSE. */
type Read = (json: unknown, name: string | undefined) => ClientEvent;

/** Names of events that only show that the stream lives, whatever their data. */
const HEARTBEATS: ReadonlySet<string> = new Set(["ping", "heartbeat", "keepalive", "keep-alive"]);

/**
 * The events that have data, to the one with isLast, those together that came together: each step of an async iteration
 * costs as much as to read an event. A last one that was cut is dropped, as if it had not begun.
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  maxEvent: number,
  read: Read,
): AsyncGenerator<readonly ClientEvent[]> {
  const reader = openSseReader(maxEvent);
  let number = 0;
  for await (const chunk of body) {
    const came = reader.feed(chunk);
    const { events, end } = readAll(came, number, read);
    number += came.length;
    if (events.length > 0) yield events;
    if (end !== undefined) return ended(end);
    reader.check();
  }
  const { events, end } = readAll(reader.end(), number, read);
  if (events.length > 0) yield events;
  if (end !== undefined) ended(end);
}

/** How a stream ends that its agent does not end: by an event that is the last one, or by one that cannot be read. */
type End = { readonly isLast: true } | { readonly thrown: unknown };

interface News {
  readonly events: readonly ClientEvent[];
  readonly end: End | undefined;
}

/** What comes before an event that cannot be read counts. */
function readAll(came: readonly SseEvent[], before: number, read: Read): News {
  const events: ClientEvent[] = [];
  let number = before;
  try {
    for (const { name, data, isWhole } of came) {
      number++;
      if (isNothing(data) || (name !== undefined && HEARTBEATS.has(name))) continue;
      if (!isWhole && !isParsable(data)) return { events, end: LAST };
      const event = read(parsed(data, `event ${number}: `), name);
      events.push(event);
      if (event.isLast) return { events, end: LAST };
    }
    return { events, end: undefined };
  } catch (thrown) {
    return { events, end: { thrown } };
  }
}

const LAST: End = { isLast: true };

function ended(end: End): void {
  if ("thrown" in end) throw end.thrown;
}

/** Nearly always, it begins with a brace. */
function isNothing(data: string): boolean {
  return !data.startsWith("{") && data.trim() === "";
}

function isParsable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
