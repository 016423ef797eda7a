/** A connection to the HTTP doors that lives as long as it can, and what is wrong with what comes back. */
import { connect, type Socket } from "node:net";
import type { HttpShot } from "./http-shots.ts";

/** How long a stream is watched; one of a waiting task would go on. */
const STREAM_MS = 30;
/** What waits for more of a request gets no more after that. */
const QUIET_MS = 15;
/** What has not come by then never comes. */
const PATIENCE_MS = 20_000;

export class HttpLine {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends it and waits for all that comes back. Throws an error that says what is wrong with that. */
  async send(shot: HttpShot): Promise<string> {
    const text = shot.isSound ? await this.#askedOnce(shot) : await this.#thrown(shot);
    check(text, shot.isSound);
    return text;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #askedOnce({ bytes, method }: HttpShot): Promise<string> {
    const socket = (this.#socket ??= opened(this.#port));
    const exchange = new Exchange(socket, (text) => isComplete(text, method === "HEAD"));
    socket.write(bytes);
    const text = await exchange.ended;
    if (socket.destroyed || exchange.isStream || /\r\nconnection: close\r\n/i.test(text))
      this.close();
    return text;
  }

  /** On a connection of its own, which is given up by this side. */
  async #thrown({ bytes }: HttpShot): Promise<string> {
    const socket = opened(this.#port);
    const exchange = new Exchange(socket, () => false);
    socket.write(bytes);
    const quiet = setTimeout(() => socket.end(), QUIET_MS);
    const text = await exchange.ended;
    clearTimeout(quiet);
    socket.destroy();
    return text;
  }
}

function opened(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  return socket.on("error", () => undefined);
}

/** What comes until the answer is complete, the connection ends, or a stream has been watched long enough. */
class Exchange {
  readonly ended: Promise<string>;
  isStream = false;
  #text = "";

  constructor(socket: Socket, isComplete: (text: string) => boolean) {
    this.ended = new Promise((resolve, reject) => {
      let watched: NodeJS.Timeout | undefined;
      const late = setTimeout(() => {
        finish();
        reject(new Error(`nothing after ${PATIENCE_MS} ms but ${JSON.stringify(this.#text)}`));
        socket.destroy();
      }, PATIENCE_MS);
      const take = (data: Buffer): void => {
        this.#text += data.toString("latin1");
        if (isComplete(this.#text)) return end();
        if (!this.#text.includes("text/event-stream")) return;
        this.isStream = true;
        watched ??= setTimeout(() => {
          socket.destroy();
        }, STREAM_MS);
      };
      const end = (): void => {
        finish();
        resolve(this.#text);
      };
      const finish = (): void => {
        clearTimeout(late);
        clearTimeout(watched);
        socket.off("data", take).off("end", end).off("close", end);
      };
      socket.on("data", take).on("end", end).on("close", end);
    });
  }
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/;

function isComplete(text: string, isHead: boolean): boolean {
  const [head] = HEAD.exec(text) ?? [];
  if (head === undefined) return false;
  if (/\r\ntransfer-encoding: chunked\r\n/i.test(head)) return text.endsWith("\r\n0\r\n\r\n");
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
  return text.length >= head.length + (isHead ? 0 : length);
}

/** Codes of JSON-RPC that say that the gateway is at fault or away. */
const FAULTS = /"code":-320(?:06|13|14)[,}]|"code":-32603[,}]|"internal error"/;

function check(text: string, isSound: boolean): void {
  for (const [, status = ""] of text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
    if (Number(status) >= 500) throw new Error(`answered ${text.slice(0, 2_000)}`);
  if (FAULTS.test(text)) throw new Error(`answered ${text.slice(0, 2_000)}`);
  if (!isSound) return;
  const head = HEAD.exec(text)?.[0];
  if (head === undefined) throw new Error(`no answer but ${JSON.stringify(text)}`);
  const isJson = /\r\ncontent-type: application\/json\r\n/i.test(head);
  if (isJson && text.length > head.length) JSON.parse(text.slice(head.length));
}
