/**
 * The receiver of the kill test for webhooks: the webhook is the path, and what happens goes into a journal. Of the
 * requests, 30 % fail in one way or another and 5 % are never answered. `RECEIVER_PORT`, `RECEIVER_JOURNAL` and
 * `RECEIVER_SEED` say where and how; with `RECEIVER_LIES` it does not always do what it answers, so that the check has
 * something to find.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { randomOf } from "../kill9/random.ts";
import { openJournal, type Line } from "./journal.ts";
import { toldIn } from "./told.ts";

const FAILING = 0.3;
const HANGING = 0.05;
/** Of the lies, each kind. */
const LYING = 0.02;
/** So long after a lie its line is written, in milliseconds. */
const LATE_MS = 300;
const { RECEIVER_PORT, RECEIVER_JOURNAL = "", RECEIVER_SEED, RECEIVER_LIES } = process.env;

const FAILURES: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(503, { "Retry-After": "0" }).end(),
  (response) => response.writeHead(404).end("not here yet"),
  (response) => response.writeHead(302, { Location: "/elsewhere" }).end(),
  (response) => response.destroy(),
];

const random = randomOf(Number(RECEIVER_SEED));
const journal = openJournal(RECEIVER_JOURNAL);
const server = createServer((request, response) => {
  const [, first = "", second = ""] = (request.url ?? "").split("/");
  if (first === "ping") response.end();
  else if (first === "deleted") {
    journal.write({ kind: "deleted", hook: second });
    response.end();
  } else
    take(first, request, response).catch((thrown: unknown) => {
      // Whoever sent it is gone.
      if (request.destroyed && !request.complete) return;
      journal.write({ kind: "wrong", hook: first, what: String(thrown) });
      // Tried again, it would be the same.
      response.end();
    });
});
await once(server.listen(Number(RECEIVER_PORT), "127.0.0.1"), "listening");
console.log("ready");

async function take(hook: string, request: IncomingMessage, response: ServerResponse) {
  const deliveryId = String(request.headers["a2a-delivery-id"]);
  journal.write({ kind: "arrived", hook, deliveryId });
  const chance = random();
  if (chance < FAILING) {
    request.resume();
    FAILURES[Math.floor(random() * FAILURES.length)]?.(response);
    return;
  }
  // Of those that get no answer, every other one was taken all the same.
  const isHanging = chance < FAILING + HANGING;
  if (isHanging && random() < 0.5) return void request.resume();
  const told = toldIn(hook, request.headers, await text(request));
  await noted({ kind: "taken", hook, deliveryId, told });
  if (!isHanging) response.writeHead(204).end();
}

async function noted(line: Line): Promise<void> {
  if (RECEIVER_LIES !== undefined) {
    const chance = random();
    if (chance < LYING) return;
    if (chance < 2 * LYING) return void sleep(LATE_MS).then(() => journal.write(line));
  }
  journal.write(line);
}
