/** Calls to the gateway in either version, over JSON-RPC, by a client that knows what was cut. */
import type { Connection } from "../clients/client.ts";
import { httpRequest, openHttp } from "../clients/http.ts";
import { headersOf, sseData } from "../operations.ts";

export type Version = "1.0" | "0.3";

/** The gateway answered with an error. */
export class Refusal extends Error {}

export interface StreamedEvent {
  readonly generation: number;
  readonly event: unknown;
}

/** One connection, opened again at the call after it went away. */
export class Caller {
  readonly #url: string;
  #connection: Connection | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async open(): Promise<void> {
    this.#connection ??= await openHttp(this.#url);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** The result. Throws a Refusal for an error, anything else when the gateway went away. */
  async call<T>(agent: string, version: Version, method: string, params: object): Promise<T> {
    const { messages } = await this.#exchange(this.#request(agent, version, method, params));
    return resultOf<T>(String(messages[0]));
  }

  /** The first event of a stream that is then read to its end; of one that was cut, the first if it came. */
  async firstOf<T>(agent: string, version: Version, method: string, params: object): Promise<T> {
    let text = "";
    const request = this.#request(agent, version, method, params);
    try {
      await this.#exchange(request, (data) => (text += data.toString()));
    } catch (thrown) {
      if (!text.includes("\n\n")) throw thrown;
    }
    return resultOf<T>(sseData(text)[0] ?? text);
  }

  /** The log of a finished task, from its beginning. */
  async log(agent: string, id: string): Promise<readonly StreamedEvent[]> {
    const cursor = { "Last-Event-ID": "0" };
    const request = this.#request(agent, "1.0", "SubscribeToTask", { id }, cursor);
    const { messages } = await this.#exchange(request);
    const blocks = String(messages[0]).split("\n\n");
    return blocks.flatMap((block) => {
      const [data] = sseData(block);
      if (data === undefined) return [];
      return { generation: Number(/^id: *(\d+)/m.exec(block)?.[1]), event: resultOf(data) };
    });
  }

  #request(
    agent: string,
    version: Version,
    method: string,
    params: object,
    more: Readonly<Record<string, string>> = {},
  ): Buffer {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers: Record<string, string> = Object.assign(
      {},
      headersOf(/stream|subscribe/i.test(method)),
      more,
    );
    headers["A2A-Version"] = version;
    return httpRequest("POST", `${this.#url}/a2a/${agent}`, headers, body);
  }

  async #exchange(request: Buffer, onData?: (data: Buffer) => void) {
    const connection = (this.#connection ??= await openHttp(this.#url));
    try {
      return await connection.call(request, onData);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }
}

function resultOf<T>(text: string): T {
  const { result, error } = JSON.parse(text) as { result?: T; error?: unknown };
  if (error !== undefined) throw new Refusal(JSON.stringify(error).slice(0, 300));
  if (result === undefined) throw new Error(`no result in ${text.slice(0, 300)}`);
  return result;
}
