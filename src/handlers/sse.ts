/** Events of a text/event-stream, by the rules of the WHATWG standard. */
import { createParser } from "eventsource-parser";
import { wrong } from "./fields.ts";

export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
  /** False for a last event without the blank line that ends one: it may have been cut. */
  readonly isWhole: boolean;
}

/**
 * The events that have data. Comments and unknown fields are ignored. Throws INVALID_AGENT_RESPONSE for what is no UTF-8
 * and for an event of more than `maxEvent` characters (0: without limit).
 */
export async function* sseEvents(
  body: AsyncIterable<Uint8Array>,
  maxEvent: number,
): AsyncGenerator<SseEvent> {
  const events: SseEvent[] = [];
  let isTooLong = false;
  let isWhole = true;
  const parser = createParser({
    ...(maxEvent > 0 && { maxBufferSize: maxEvent }),
    onEvent: ({ event, data }) => {
      isTooLong ||= maxEvent > 0 && data.length > maxEvent;
      if (!isTooLong) events.push({ name: event, data, isWhole });
    },
    onError: ({ type }) => (isTooLong ||= type === "max-buffer-size-exceeded"),
  });
  for await (const text of linesIn(body)) {
    parser.feed(text);
    yield* events.splice(0);
    if (isTooLong) throw wrong("", `an event is longer than ${maxEvent} characters`);
  }
  isWhole = false;
  parser.feed("\n\n");
  yield* events;
}

/** The text with each line end as LF: a CR ends its line at once, and a LF that follows it ends no other. */
async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let isAfterReturn = false;
  for await (const text of decoded(body)) {
    if (text === "") continue;
    const rest = isAfterReturn && text.startsWith("\n") ? text.slice(1) : text;
    isAfterReturn = text.endsWith("\r");
    yield rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }
}

async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw wrong("", "not UTF-8");
    }
  };
  for await (const chunk of body) yield decode(chunk);
  yield decode();
}
