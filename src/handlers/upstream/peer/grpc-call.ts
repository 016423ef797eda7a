/** One gRPC call: a request, and the messages that answer it. */
import { Metadata, type Client, type ClientReadableStream } from "@grpc/grpc-js";
import type { Signal } from "../../cut.ts";
import type { Patience } from "../../step-watch.ts";
import { connectionFailure } from "./connection-failure.ts";
import { watchCall, type Step } from "./grpc-watch.ts";
import type { Phase } from "./peer-failure.ts";

const PHASES: Readonly<Record<Step, Phase>> = {
  connect: "connect",
  head: "request",
  idle: "answer",
};

export interface GrpcRequest {
  readonly path: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly patience: Patience;
  readonly signal: Signal;
  /** Called when the channel does not come to connect in time. */
  readonly onDeadChannel: () => void;
}

/**
 * Reads at most the 16 messages ahead that a stream of Node buffers. Throws the ServiceError of a call that fails, and a
 * PeerFailure when a step takes too long.
 */
export async function* callMessages(
  client: Client,
  { path, body, headers, deadline, patience, signal, onDeadChannel }: GrpcRequest,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const metadata = metadataOf(headers);
  const messages: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
    path,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes,
    Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    metadata,
    { deadline },
  );
  // Errors that come after the loop has been left are for nobody.
  messages.on("error", () => undefined);
  const cancel = () => messages.cancel();
  signal.addEventListener("abort", cancel);
  const watch = watchCall(client, { messages, patience, onLate: cancel });
  try {
    const read: AsyncIterable<Buffer> = messages.iterator({ destroyOnReturn: false });
    for await (const message of read) {
      watch.pause();
      yield message;
      watch.resume();
    }
  } catch (thrown) {
    const late = watch.late();
    if (late === undefined) throw thrown;
    if (late.step === "connect") onDeadChannel();
    throw connectionFailure(late.error, PHASES[late.step], late.step !== "connect");
  } finally {
    watch.end();
    leave(messages, () => signal.removeEventListener("abort", cancel));
  }
}

/** For a call to end whose reader has seen enough, in milliseconds. */
const END_MS = 250;

/** To cancel a call that ends right then costs as much as the call, and servers count it as an attack. */
function leave(messages: ClientReadableStream<Buffer>, left: () => void): void {
  if (messages.readableEnded || messages.errored !== null) return left();
  const timer = setTimeout(() => messages.cancel(), END_MS).unref();
  messages.once("status", () => {
    clearTimeout(timer);
    left();
  });
  messages.resume();
}

/** Names and values that metadata cannot carry are left out: they come from callers over HTTP/1.1. */
function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (/^[a-z0-9_.-]+$/.test(name) && !name.endsWith("-bin") && /^[\x20-\x7e]*$/.test(value))
      metadata.set(name, value);
  }
  return metadata;
}
