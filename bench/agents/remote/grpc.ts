/**
 * The gRPC binding of the remote agent, on HTTP/2 itself: a server library would spend more on a message than the
 * gateway that is to be kept busy.
 */
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { decodeMessage, encodeMessage } from "../../messages.ts";
import { storyOf, taskOf, type SentMessage } from "./story.ts";
import { writeStory } from "./write-story.ts";

const SERVICE = "/lf.a2a.v1.A2AService/";
const PREFIX_BYTES = 5;
const STATUS = { ok: "0", unimplemented: "12" } as const;

export function openGrpcServer(): Http2Server {
  const server = createServer({ settings: { maxConcurrentStreams: 1_000 } });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    answer(stream, String(headers[":path"])).catch(() => stream.destroy());
  });
  return server;
}

async function answer(stream: ServerHttp2Stream, path: string): Promise<void> {
  const { message } = decodeMessage("SendMessageRequest", await requestOf(stream)) as {
    readonly message: SentMessage;
  };
  const method = path.slice(SERVICE.length);
  const isKnown = method === "SendMessage" || method === "SendStreamingMessage";
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => {
    stream.sendTrailers({ "grpc-status": isKnown ? STATUS.ok : STATUS.unimplemented });
  });
  if (method === "SendMessage")
    stream.end(framed(encodeMessage("SendMessageResponse", { task: taskOf(message) })));
  else if (isKnown) {
    const encode = (event: object) => framed(encodeMessage("StreamResponse", event));
    stream.end(await writeStory(stream, storyOf(message), encode));
  } else stream.end();
}

async function requestOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).subarray(PREFIX_BYTES);
}

function framed(message: Buffer): Buffer {
  const bytes = Buffer.alloc(PREFIX_BYTES + message.length);
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, PREFIX_BYTES);
  return bytes;
}
