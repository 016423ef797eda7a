/** The HTTP bindings of the remote agent: SendMessage, SendStreamingMessage and the card, no more. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { storyOf, taskOf, type SentMessage } from "./story.ts";
import { writeStory } from "./write-story.ts";

interface Params {
  readonly message: SentMessage;
}

/** Puts a model into the form of a binding. */
type Envelope = (model: object) => string;

const IDLE_MS = 600_000;

/** @param card what the well-known path answers */
export function openHttpServer(card: object): Server {
  const server = createServer((request, response) => {
    answer(request, response, card).catch(() => response.destroy());
  });
  server.keepAliveTimeout = IDLE_MS;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  card: object,
): Promise<void> {
  const { method, url = "" } = request;
  if (method === "GET" && url === "/.well-known/agent-card.json") return whole(response, card);
  const body = await bodyOf(request);
  if (url === "/") {
    const {
      id,
      method: operation,
      params,
    } = JSON.parse(body) as {
      readonly id: unknown;
      readonly method: string;
      readonly params: Params;
    };
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    const envelope: Envelope = (model) => `${start}${JSON.stringify(model)}}`;
    return sent(response, operation === "SendStreamingMessage", params, envelope);
  }
  const isStream = url === "/message:stream";
  if (!isStream && url !== "/message:send") return void response.writeHead(404).end();
  return sent(response, isStream, JSON.parse(body) as Params, (model) => JSON.stringify(model));
}

async function sent(
  response: ServerResponse,
  isStream: boolean,
  { message }: Params,
  envelope: Envelope,
): Promise<void> {
  if (!isStream) return whole(response, envelope({ task: taskOf(message) }));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const encode = (event: object) => Buffer.from(`data: ${envelope(event)}\n\n`);
  response.end(await writeStory(response, storyOf(message), encode));
}

function whole(response: ServerResponse, body: object | string): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  response.end(text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
