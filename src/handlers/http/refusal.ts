/** An answer whose status is not 2xx. */
import type { HandlerEvent } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import { eventsOf } from "../events.ts";
import { failed } from "../failed.ts";
import { printable } from "../printable.ts";

const MAX_BYTES = 64 * 1024;
const MAX_EXCERPT = 300;

/** What was answered to which headers of the configuration, which callers are not to know. */
interface Refused {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A failed task with the status and the beginning of the body; throws the agent's error when a 4xx carries one. */
export async function refusalOf({ status, body, headers }: Refused): Promise<HandlerEvent> {
  const text = withoutValues(await beginningOf(body), headers);
  const error = status >= 400 && status < 500 ? errorIn(text) : undefined;
  if (error !== undefined) throw error;
  const all = printable(text);
  const excerpt = all.length > MAX_EXCERPT ? `${all.slice(0, MAX_EXCERPT)}…` : all;
  return failed(`the agent's endpoint answered ${status}${excerpt === "" ? "" : `: ${excerpt}`}`);
}

/** So many characters of a header may be a secret; less would be words that say nothing. */
const LEAST = 8;

/** Error pages may repeat the request. */
function withoutValues(text: string, headers: Refused["headers"]): string {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  return words
    .filter(({ length }) => length >= LEAST)
    .reduce((shown, word) => shown.replaceAll(word, "(hidden)"), text);
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BYTES));
}

function errorIn(text: string): A2AError | undefined {
  try {
    for (const _ of eventsOf(JSON.parse(text))) continue;
  } catch (thrown) {
    // What is not an event of ours is an error page like any other.
    if (A2AError.is(thrown) && thrown.reason !== "INVALID_AGENT_RESPONSE") return thrown;
  }
  return undefined;
}
