/** The events of an HTTP answer's body, by its content type. */
import type { HandlerEvent } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import { eventsOf } from "../events.ts";
import { eventsOfLines, parsed, utf8Of } from "../lines.ts";
import { sseEvents } from "../sse.ts";

type Read = (body: AsyncIterable<Uint8Array>, maxEvent: number) => AsyncIterable<HandlerEvent>;

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["application/json", eventsOfJson],
  ["application/x-ndjson", eventsOfLines],
  ["application/ndjson", eventsOfLines],
  ["application/jsonl", eventsOfLines],
  ["application/x-jsonlines", eventsOfLines],
  ["application/jsonlines", eventsOfLines],
  ["text/event-stream", eventsOfSse],
]);

export const ACCEPTED = "application/json, application/x-ndjson, text/event-stream";

/** Throws INVALID_AGENT_RESPONSE for a body of another type or with anything else in it. */
export function eventsOfAnswer(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  maxEvent: number,
): AsyncIterable<HandlerEvent> {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const read = READERS.get(type) ?? (type.endsWith("+json") ? eventsOfJson : emptyOnly(type));
  return read(body, maxEvent);
}

async function* eventsOfJson(body: AsyncIterable<Uint8Array>): AsyncGenerator<HandlerEvent> {
  const text = utf8Of(await bytesOf(body), "");
  if (text.trim() !== "") yield* eventsOf(parsed(text, ""));
}

async function* eventsOfSse(
  body: AsyncIterable<Uint8Array>,
  maxEvent: number,
): AsyncGenerator<HandlerEvent> {
  let number = 0;
  for await (const { data: text } of sseEvents(body, maxEvent)) {
    number++;
    const where = `event ${number}: `;
    if (text.trim() === "[DONE]") return;
    if (text.trim() !== "") yield* eventsOf(parsed(text, where), where);
  }
}

/** A body that says nothing needs no type. */
function emptyOnly(type: string): Read {
  const what = type === "" ? "no content type" : `the content type ${type.slice(0, 80)}`;
  return async function* (body) {
    const bytes = await bytesOf(body);
    if (bytes.length > 0)
      throw new A2AError(
        "INVALID_AGENT_RESPONSE",
        `the agent answered with ${what}, not with one of ${ACCEPTED}`,
      );
    yield* [];
  };
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
