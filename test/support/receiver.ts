/** A receiver of webhooks: keeps what it gets, answers as it is told, and may be away for a while. */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Fields } from "./doors.ts";

export interface Told {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
}

/** Answers one delivery, or leaves it open; `count` is how many there were at that path, itself included. */
export type Answer = (response: ServerResponse, told: Told, count: number) => void;

export const taken: Answer = (response) => response.writeHead(204).end();

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();

/** No answer, ever. */
export const silence: Answer = () => undefined;

export class Receiver {
  readonly told: Told[] = [];
  readonly #answers = new Map<string, Answer>();
  #server: Server | undefined;
  #port = 0;
  #waiting: (() => void)[] = [];

  /** Begins to listen, where it did before if it did. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Fields;
        const told = { path: request.url ?? "", headers: request.headers, body };
        this.told.push(told);
        for (const look of this.#waiting.splice(0)) look();
        const answer = this.#answers.get(told.path) ?? taken;
        answer(response, told, this.at(told.path).length);
      });
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** The URL of a webhook; paths keep those of different cases apart. */
  url(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** How deliveries to a path are answered from now on; by default they are taken. */
  answers(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  at(path: string): readonly Told[] {
    return this.told.filter((each) => each.path === path);
  }

  /** Resolves with what came at a path once it is enough. */
  async until(
    path: string,
    isEnough: (told: readonly Told[]) => boolean,
  ): Promise<readonly Told[]> {
    for (;;) {
      const told = this.at(path);
      if (isEnough(told)) return told;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = new Receiver();
  await receiver.start();
  return receiver;
}
