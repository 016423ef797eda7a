/** What the tests of remote agents share: time that stands still, servers of cards, and cards. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Timers } from "../../../src/handlers/upstream/timers.ts";

/** Time that moves when the test says so. */
export class ManualTimers implements Timers {
  #now = 1_000_000;
  #waiting: { readonly at: number; readonly run: () => void }[] = [];

  now = (): number => this.#now;

  random = (): number => 1;

  after = (milliseconds: number, run: () => void): (() => void) => {
    const entry = { at: this.#now + milliseconds, run };
    this.#waiting.push(entry);
    return () => (this.#waiting = this.#waiting.filter((each) => each !== entry));
  };

  /** In how many milliseconds each thing that waits is due. */
  get waits(): readonly number[] {
    return this.#waiting.map(({ at }) => at - this.#now);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#waiting.filter(({ at }) => at <= this.#now);
    this.#waiting = this.#waiting.filter((each) => !due.includes(each));
    for (const { run } of due) run();
  }
}

export type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface TestServer {
  readonly url: string;
  /** Method and path of each request so far. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A server on a port of its own, or on a given one; it ends with the test. */
export async function serve(context: TestContext, respond: Respond, port = 0): Promise<TestServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => respond(request, response, body));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), "close");
  };
  context.after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

/** Answers each path with what it holds, everything else with 404. */
export function pages(byPath: Readonly<Record<string, unknown>>): Respond {
  return ({ url = "" }, response) => {
    if (!(url in byPath)) return response.writeHead(404).end("no such page");
    return response.setHeader("content-type", "application/json").end(JSON.stringify(byPath[url]));
  };
}

export const CARD_PATH = "/.well-known/agent-card.json";

const common = {
  name: "Weather",
  description: "Knows the weather",
  version: "2.0.0",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "now", name: "Now", description: "The weather now", tags: ["weather"] }],
};

export interface Offer {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion?: string;
  readonly tenant?: string;
}

/** A card of 1.0. */
export function newestCard(...supportedInterfaces: readonly Offer[]): object {
  return { ...common, supportedInterfaces };
}

/** A card of 0.3, with members of its own on top. */
export function legacyCard(members: object): object {
  return { ...common, protocolVersion: "0.3.0", ...members };
}
