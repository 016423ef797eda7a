/** A stream of events as server-sent events. */
import type { ServerResponse } from "node:http";
import { textOf } from "../../protocol/ready-made.ts";
import type { EncodedItem } from "../../wire/endpoint.ts";
import { SAFE_HEADERS } from "../safe-headers.ts";
import type { DoorOptions } from "./door.ts";
import type { Heartbeat } from "./heartbeat.ts";

/** How a door writes events down. */
export interface EventFrame {
  /** What stands before and after the text of an event: an envelope, or nothing. */
  readonly before: string;
  readonly after: string;
  /** The name of the event that ends a stream which failed. */
  readonly failureEvent?: string | undefined;
  /** Its JSON text. */
  failure(thrown: unknown): string;
  /** Answers a request whose stream failed before its first event. */
  refuse(thrown: unknown): void;
}

const HEADERS = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-cache, no-transform",
  "X-Accel-Buffering",
  "no",
  ...SAFE_HEADERS,
];

/**
 * Sends a stream to its end, for which nobody has to wait. The headers wait for the first event, so that an error
 * before it is a plain error answer. No event is taken from the iterator while the socket is full; when the client
 * leaves, the iterator is told to return.
 */
export function sendEvents(
  res: ServerResponse,
  items: AsyncIterable<EncodedItem>,
  frame: EventFrame,
  { heartbeat, log }: Pick<DoorOptions, "heartbeat" | "log">,
): void {
  sendAll(res, items, frame, heartbeat).catch((thrown: unknown) => {
    log.error({ err: thrown }, "stream could not be answered");
    res.destroy();
  });
}

async function sendAll(
  res: ServerResponse,
  items: AsyncIterable<EncodedItem>,
  frame: EventFrame,
  heartbeat: Heartbeat,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  res.on("close", () => leave(iterator));
  let step: IteratorResult<EncodedItem>;
  try {
    step = await iterator.next();
  } catch (thrown) {
    frame.refuse(thrown);
    return;
  }
  // Whoever left before there was a stream has not been seen leaving it.
  if (res.destroyed) return leave(iterator);
  const writer = new EventWriter(res);
  const beat = heartbeat.add(res);
  try {
    for (; !step.done && !res.destroyed; step = await iterator.next()) {
      writer.write(eventOf(step.value, frame));
      if (writer.isFull) await drained(res);
    }
  } catch (thrown) {
    if (!res.destroyed) writer.write(failureEventOf(frame, thrown));
  } finally {
    heartbeat.remove(beat);
    writer.end();
  }
}

function failureEventOf(frame: EventFrame, thrown: unknown): string {
  const { failureEvent: name } = frame;
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${frame.failure(thrown)}\n\n`;
}

/** A stream of one event, which says why there are no others; `failure` is its JSON text. */
export function sendFailure(
  res: ServerResponse,
  failure: string,
  headers: readonly (readonly [name: string, value: string])[],
): void {
  if (res.headersSent || res.destroyed) return;
  for (const [name, value] of headers) res.setHeader(name, value);
  const writer = new EventWriter(res);
  writer.write(`data: ${failure}\n\n`);
  writer.end();
}

function eventOf(item: EncodedItem, frame: EventFrame): string {
  const id = item.generation === undefined ? "" : `id: ${item.generation}\n`;
  return `${id}data: ${frame.before}${textOf(item.wire)}${frame.after}\n\n`;
}

function leave(iterator: AsyncIterator<EncodedItem>): void {
  void Promise.resolve(iterator.return?.()).catch(() => undefined);
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.on("drain", done).on("close", done);
  });
}

/** Past this many characters events are not gathered any longer. */
const GATHER_LIMIT = 65_536;

/** The writers with events of this tick. */
let gathering: EventWriter[] = [];

/** Gathers what is written during one tick, of which bursts consist, and hands it to the socket in one piece. */
class EventWriter {
  readonly #res: ServerResponse;
  #pending = "";

  constructor(res: ServerResponse) {
    this.#res = res;
    res.writeHead(200, HEADERS);
    // Sent as a piece of their own, the headers leave no parts behind in memory; corked, they cost no packet.
    res.cork();
    res.flushHeaders();
    process.nextTick(uncork, res);
  }

  write(text: string): void {
    if (this.#pending === "") this.#gather();
    this.#pending += text;
    if (this.#pending.length > GATHER_LIMIT) this.flush();
  }

  get isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  flush(): void {
    if (this.#pending === "" || this.#res.destroyed) return;
    const text = this.#pending;
    this.#pending = "";
    this.#res.write(text);
  }

  end(): void {
    if (this.#res.destroyed) return;
    const text = this.#pending;
    this.#pending = "";
    this.#res.end(text);
  }

  #gather(): void {
    gathering.push(this);
    // Runs once every promise that is settled by now has been taken up.
    if (gathering.length === 1) process.nextTick(flushAll);
  }
}

function uncork(res: ServerResponse): void {
  res.uncork();
}

function flushAll(): void {
  const writers = gathering;
  gathering = [];
  for (const writer of writers) writer.flush();
}
