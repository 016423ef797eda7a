/** JSON lines: the events of an answer that comes line by line. */
import type { HandlerEvent } from "../core/ports/handler.ts";
import { eventsOf } from "./events.ts";
import { wrong } from "./fields.ts";

const NEWLINE = 0x0a;

/** Blank lines are skipped. Throws INVALID_AGENT_RESPONSE, with the line's number, for a line that is no event. */
export async function* eventsOfLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLine: number,
): AsyncGenerator<HandlerEvent> {
  let number = 0;
  for await (const line of linesOf(chunks, maxLine)) {
    number++;
    const where = `line ${number}: `;
    if (line === undefined) throw wrong(where, `longer than ${maxLine} bytes`);
    const text = utf8Of(line, where);
    if (text.trim() !== "") yield* eventsOf(parsed(text, where), where);
  }
}

/** The JSON value of a text; throws INVALID_AGENT_RESPONSE. */
export function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(where, "not JSON");
  }
}

/** The text of bytes; throws INVALID_AGENT_RESPONSE. */
export function utf8Of(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrong(where, "not UTF-8");
  }
}

/** Each line without its newline; undefined, and the end, for one that is too long. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxLine: number,
): AsyncGenerator<Uint8Array | undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      pieces.push(chunk.subarray(start, end));
      if (length + end - start > maxLine) return yield undefined;
      yield Buffer.concat(pieces);
      pieces = [];
      length = 0;
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxLine) return yield undefined;
  }
  if (length > 0) yield Buffer.concat(pieces);
}
