/** The bodies of HTTP answers. */
import { wrong } from "../../fields.ts";
import { limited } from "../../limited.ts";
import { parsed, utf8Of } from "../../lines.ts";

/** `application/json`, `application/a2a+json` and the like. */
export function isJson(contentType: string): boolean {
  return contentType === "application/json" || contentType.endsWith("+json");
}

export function isEventStream(contentType: string): boolean {
  return contentType === "text/event-stream";
}

/** Throws INVALID_AGENT_RESPONSE for more bytes than that (0: without limit), and for what is no UTF-8. */
export async function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of maxBytes > 0 ? limited(body, maxBytes) : body) chunks.push(chunk);
  return utf8Of(Buffer.concat(chunks), "");
}

/** The JSON of a body. An agent that names no type, or has it guessed by its server, may have sent it all the same. */
export async function jsonOf(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<unknown> {
  if (!isJson(contentType) && contentType !== "" && contentType !== "text/plain")
    throw wrong("", `of the content type ${contentType.slice(0, 80)}`);
  return parsed(await textOf(body, maxBytes), "");
}
