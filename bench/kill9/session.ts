/** Calls to the gateway as a client makes them, on one connection. */
import type { Connection } from "../clients/client.ts";
import { httpRequest, openHttp } from "../clients/http.ts";
import { agentUrl } from "../live-streams.ts";
import { headersOf } from "../operations.ts";
import type { Target } from "../targets.ts";
import type { StreamedEvent } from "./records.ts";

export interface TaskAnswer {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly { readonly parts: readonly { readonly text?: string }[] }[];
}

/** The gateway answered with an error. */
export class Refusal extends Error {}

export class Session {
  readonly #target: Target;
  readonly #connection: Connection;

  private constructor(target: Target, connection: Connection) {
    this.#target = target;
    this.#connection = connection;
  }

  static async open(target: Target): Promise<Session> {
    return new Session(target, await openHttp(target.rest));
  }

  close(): void {
    this.#connection.close();
  }

  /** A call that is answered once. Throws a Refusal for an error, anything else when the connection went away. */
  async call<T>(agent: string, method: string, params: object): Promise<T> {
    const { messages } = await this.#connection.call(this.#request(agent, method, params, {}));
    return resultOf<T>(String(messages[0]));
  }

  /** A call that is answered with a stream, of which `onEvent` sees each event at once. */
  async stream(
    agent: string,
    method: string,
    params: object,
    onEvent: (event: StreamedEvent) => void,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    let rest = "";
    const { status } = await this.#connection.call(
      this.#request(agent, method, params, headers),
      (data) => {
        const blocks = (rest + data.toString()).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = eventOf(block);
          if (event) onEvent(event);
        }
      },
    );
    if (status !== 200 || rest !== "") throw new Refusal(`status ${status} ${rest.slice(0, 200)}`);
  }

  #request(
    agent: string,
    method: string,
    params: object,
    headers: Readonly<Record<string, string>>,
  ): Buffer {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const all = { ...headersOf(/Stream|Subscribe/.test(method)), ...headers };
    return httpRequest("POST", agentUrl(this.#target, agent), all, body);
  }
}

function eventOf(block: string): StreamedEvent | undefined {
  const lines = block.split("\n");
  const field = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const data = field("data");
  if (data === undefined) return undefined;
  const id = field("id");
  return { id: id === undefined ? undefined : Number(id), data: JSON.stringify(resultOf(data)) };
}

function resultOf<T>(text: string): T {
  const { result, error } = JSON.parse(text) as { result?: T; error?: unknown };
  if (result === undefined) throw new Refusal(JSON.stringify(error ?? text).slice(0, 300));
  return result;
}
