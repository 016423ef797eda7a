/** Events of a text/event-stream, by the rules of the WHATWG standard. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import { wrong } from "./fields.ts";
import { Utf8Reader } from "./utf8-reader.ts";

export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
  /** False for a last event without the blank line that ends one: it may have been cut. */
  readonly isWhole: boolean;
}

/** Reads as it is fed, without a promise for each event. */
export interface SseReader {
  /** The events that end in these bytes. Throws INVALID_AGENT_RESPONSE for what is no UTF-8. */
  feed(bytes: Uint8Array): readonly SseEvent[];
  /** What is left when the stream has ended; throws as `feed` does. */
  end(): readonly SseEvent[];
  /** Throws INVALID_AGENT_RESPONSE once an event was too long: those before it have come out. */
  check(): void;
}

/**
 * The events that have data. Comments and unknown fields are ignored. Throws INVALID_AGENT_RESPONSE for what is no UTF-8
 * and for an event of more than `maxEvent` characters (0: without limit).
 */
export async function* sseEvents(
  body: AsyncIterable<Uint8Array>,
  maxEvent: number,
): AsyncGenerator<SseEvent> {
  const reader = openSseReader(maxEvent);
  for await (const chunk of body) {
    for (const event of reader.feed(chunk)) yield event;
    reader.check();
  }
  for (const event of reader.end()) yield event;
}

/** @param maxEvent characters of an event; 0: without limit */
export function openSseReader(maxEvent: number): SseReader {
  const text = new Utf8Reader();
  let events: SseEvent[] = [];
  let isTooLong = false;
  let isWhole = true;
  let isAfterReturn = false;
  let parser: EventSourceParser | undefined;

  function add(name: string | undefined, data: string): void {
    isTooLong ||= maxEvent > 0 && data.length > maxEvent;
    if (!isTooLong) events.push({ name, data, isWhole });
  }

  function openParser(): EventSourceParser {
    return createParser({
      ...(maxEvent > 0 && { maxBufferSize: maxEvent }),
      onEvent: ({ event, data }) => add(event, data),
      onError: ({ type }) => (isTooLong ||= type === "max-buffer-size-exceeded"),
    });
  }

  /** With each line end as LF: a CR ends its line at once, and a LF that follows it ends no other. */
  function linesOf(piece: string): string {
    const rest = isAfterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    isAfterReturn = piece.endsWith("\r");
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }

  function parse(lines: string): readonly SseEvent[] {
    events = [];
    const rest = parser === undefined ? addWhole(lines, add) : lines;
    if (rest !== "" && !isTooLong) (parser ??= openParser()).feed(rest);
    return events;
  }

  return {
    feed(bytes) {
      const piece = text.read(bytes);
      return piece === "" ? NONE : parse(linesOf(piece));
    },
    end() {
      text.end();
      isWhole = false;
      return parser === undefined ? NONE : parse("\n\n");
    },
    check() {
      if (isTooLong) throw wrong("", `an event is longer than ${maxEvent} characters`);
    },
  };
}

const DATA = "data: ";
const END = "\n\n";

/**
 * Adds the events at the beginning of a text that are whole and have but one line, of data; what is left is for the
 * parser. Most streams are such events alone, and many end before a parser would have been opened.
 */
function addWhole(text: string, add: (name: undefined, data: string) => void): string {
  let start = 0;
  while (text.startsWith(DATA, start)) {
    const end = text.indexOf("\n", start);
    if (end < 0 || !text.startsWith(END, end)) break;
    add(undefined, text.slice(start + DATA.length, end));
    start = end + END.length;
  }
  return text.slice(start);
}

const NONE: readonly SseEvent[] = [];
