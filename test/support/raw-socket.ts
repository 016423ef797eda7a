/** Bytes to a port, in pieces, and whatever comes back until the connection ends. */
import { connect } from "node:net";

export interface RawExchange {
  /** Everything that was received. */
  readonly text: string;
  readonly answers: readonly RawHttpAnswer[];
}

export interface RawHttpAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

export interface RawOptions {
  /** Ends the sending side after the bytes; otherwise the other side has to end the connection. */
  readonly end?: boolean;
  /** Destroys the connection after the bytes instead of waiting. */
  readonly vanish?: boolean;
  /** What is waited for; without it, the end of the connection. */
  readonly until?: (text: string) => boolean;
}

export async function exchangeBytes(
  port: number,
  pieces: Iterable<string | Buffer>,
  { end = false, vanish = false, until }: RawOptions = {},
): Promise<RawExchange> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.on("end", resolve).on("close", resolve);
    socket.on("data", () => {
      if (until?.(Buffer.concat(chunks).toString("latin1"))) resolve();
    });
  });
  for (const piece of pieces)
    await new Promise<void>((resolve) => {
      socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece, () =>
        resolve(),
      );
    });
  if (vanish) socket.destroy();
  else if (end) socket.end();
  await ended;
  socket.destroy();
  const text = Buffer.concat(chunks).toString("latin1");
  return { text, answers: answersIn(text) };
}

/** Answers with a Content-Length, one after another. */
function answersIn(text: string): readonly RawHttpAnswer[] {
  const answers: RawHttpAnswer[] = [];
  let rest = text;
  for (;;) {
    const [head] = /^HTTP\/1\.1 \d{3} [^]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined) return answers;
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: ([^\r]*)`, "im").exec(head)?.[1];
    const status = Number(head.slice(9, 12));
    const length = Number(field("content-length") ?? 0);
    const body = rest.slice(head.length, head.length + length);
    answers.push({ status, type: field("content-type"), body });
    rest = rest.slice(head.length + length);
  }
}
