/** HTTP as both JSON bindings use it: one request, an answer of bounded size or a stream of events. */
import { TextDecoder } from "node:util";
import { fetch, type Agent, type Response } from "undici";
import { PROTOCOL_VERSION, type DoorInput, type StreamOptions } from "./door.ts";
import { reasonText, RemoteError } from "./remote-error.ts";
import { readEvents } from "./sse.ts";
import { connectionsOf, type ClientTls } from "./tls.ts";

export interface HttpRequest {
  readonly url: string;
  readonly verb: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Until the whole answer is there, or until a stream begins. Absent: without limit. */
  readonly timeoutMs?: number | undefined;
  /** Whether the address is the only one to be asked: a redirect is then no answer. */
  readonly isFinal?: boolean;
  readonly tls?: ClientTls | undefined;
}

export type HttpAnswer =
  | {
      readonly kind: "json";
      readonly status: number;
      readonly body: unknown;
      /** What the body was read from. */
      readonly text: string;
    }
  | { readonly kind: "events"; readonly events: AsyncIterable<string> };

const LONGEST_ANSWER = 64 * 1024 * 1024;

/**
 * How long to wait is the caller's choice alone. Node's own fetch is not used: of a connection that the other side
 * closes at once, Node 20's never says anything, and the process ends without a word.
 */
const PATIENT = connectionsOf(undefined);

/** Of one command that is told of files, all calls go through the same connections. */
const SECURE = new WeakMap<ClientTls, Agent>();

function dispatcherOf(tls: ClientTls | undefined): Agent {
  if (tls === undefined) return PATIENT;
  const known = SECURE.get(tls) ?? connectionsOf(tls);
  SECURE.set(tls, known);
  return known;
}

/** Throws a RemoteError when nobody answers, or not in JSON. */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const limit =
    request.timeoutMs === undefined ? undefined : AbortSignal.timeout(request.timeoutMs);
  const response = await told(`no answer from ${request.url}`, () => open(request, limit));
  if (isEventStream(response) && response.body !== null)
    return { kind: "events", events: events(response.body) };
  const text = await told("the answer broke off", () => textOf(response));
  try {
    return { kind: "json", status: response.status, body: JSON.parse(text), text };
  } catch (cause) {
    const start = text.slice(0, 200);
    throw new RemoteError(`the answer is not JSON (HTTP ${response.status}): ${start}`, { cause });
  }
}

export function headersOf(
  input: DoorInput,
  { resumeAfter }: StreamOptions,
): Readonly<Record<string, string>> {
  return {
    "a2a-version": PROTOCOL_VERSION,
    ...input.headers,
    ...(resumeAfter !== undefined && { "last-event-id": resumeAfter }),
  };
}

export function jsonOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new RemoteError("an event of the stream is not JSON", { cause });
  }
}

function open(
  { url, verb, headers, body, isFinal, tls }: HttpRequest,
  limit: AbortSignal | undefined,
): Promise<Response> {
  return fetch(url, {
    method: verb,
    headers: {
      accept: "application/json, text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(isFinal && { redirect: "error" }),
    ...(limit && { signal: limit }),
    dispatcher: dispatcherOf(tls),
  });
}

async function* events(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  try {
    yield* readEvents(body);
  } catch (thrown) {
    throw remoteError("the stream broke off", thrown);
  }
}

/** What fails on the way is a RemoteError that says what could not be had, and why. */
async function told<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (thrown) {
    throw remoteError(what, thrown);
  }
}

function remoteError(what: string, cause: unknown): RemoteError {
  if (cause instanceof RemoteError) return cause;
  return new RemoteError(`${what}: ${reasonText(cause)}`, { cause });
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LONGEST_ANSWER) throw new RemoteError("the answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function isEventStream(response: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}
