/** A connection to the gRPC doors that lives as long as it can, and what is wrong with what comes back. */
import {
  connect as connectHttp2,
  constants,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect } from "node:net";
import type { GrpcShot } from "./grpc-shots.ts";

/** How long a stream is watched; one of a waiting task would go on. */
const STREAM_MS = 30;
/** How long bytes that may be no call have for an answer. */
const QUIET_MS = 15;
/** What has not come by then never comes. */
const PATIENCE_MS = 20_000;

/** UNKNOWN, INTERNAL, UNAVAILABLE and DATA_LOSS say that the gateway is at fault or away. */
const FAULTS: ReadonlySet<number> = new Set([2, 13, 14, 15]);
/**
 * What grpc-js answers by itself with INTERNAL, as gRPC has it (statuscodes.md): a time limit that is none, a frame that
 * cannot be decompressed, and what is no message of the health service.
 */
const OWN_FAULTS =
  /^(?:Invalid grpc-timeout value|(?:Error deserializing request|Failed to decompress message)$)/;

type CallShot = Extract<GrpcShot, { kind: "call" }>;

export class GrpcLine {
  readonly #port: number;
  #session: ClientHttp2Session | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends it and waits for all that comes back. Throws an error that says what is wrong with that. */
  async send(shot: GrpcShot): Promise<string> {
    switch (shot.kind) {
      case "call": {
        const answer = await this.#called(shot);
        check(answer);
        return JSON.stringify(answer);
      }
      case "frames":
        return thrown(this.#port, shot.bytes);
    }
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #opened(): ClientHttp2Session {
    if (this.#session?.closed === false && !this.#session.destroyed) return this.#session;
    const session = connectHttp2(`http://127.0.0.1:${this.#port}`);
    return (this.#session = session.on("error", () => undefined));
  }

  #called({ path, headers, bytes }: CallShot): Promise<GrpcAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#opened().request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      let fields: IncomingHttpHeaders & { ":status"?: number } = {};
      let watched: NodeJS.Timeout | undefined;
      const leave = (): void => {
        stream.close(constants.NGHTTP2_CANCEL);
      };
      const late = setTimeout(() => {
        leave();
        reject(new Error(`no end of the call after ${PATIENCE_MS} ms`));
      }, PATIENCE_MS);
      const take = (more: IncomingHttpHeaders): void => {
        fields = { ...fields, ...more };
      };
      stream
        .on("response", take)
        .on("trailers", take)
        .on("error", () => undefined);
      stream.on("data", () => {
        watched ??= setTimeout(leave, STREAM_MS);
      });
      stream.on("close", () => {
        clearTimeout(late);
        clearTimeout(watched);
        const status = fields["grpc-status"];
        resolve({
          http: Number(fields[":status"] ?? 0),
          status: status === undefined ? undefined : Number(status),
          message: decodeURIComponent(fields["grpc-message"]?.toString() ?? ""),
          reset: stream.rstCode ?? 0,
        });
      });
      stream.end(bytes);
    });
  }
}

interface GrpcAnswer {
  readonly http: number;
  readonly status: number | undefined;
  readonly message: string;
  /** The code of HTTP/2 that the stream was closed with. */
  readonly reset: number;
}

function check(answer: GrpcAnswer): void {
  const { http, status, message, reset } = answer;
  const isFault =
    http >= 500 ||
    (status === undefined ? !isRefusedAsHttp(answer) : FAULTS.has(status)) ||
    reset === constants.NGHTTP2_INTERNAL_ERROR;
  if (isFault && !(status === 13 && OWN_FAULTS.test(message)))
    throw new Error(`answered ${JSON.stringify(answer)}`);
}

/** Without a status: no gRPC call at all, or one that either side has given up. */
function isRefusedAsHttp({ http, reset }: GrpcAnswer): boolean {
  return (http >= 400 && http < 500) || reset !== constants.NGHTTP2_NO_ERROR;
}

/**
 * On a connection of its own, which this side gives up. Node reads no further once a peer has broken the rules of HTTP/2,
 * so that the end of the connection is not waited for: stage.ts looks whether they are all gone some time after.
 */
function thrown(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    let received = 0;
    const quiet = setTimeout(() => socket.destroy(), QUIET_MS);
    socket.on("error", () => undefined).on("data", (data) => (received += data.length));
    socket
      .on("end", () => socket.end())
      .on("close", () => {
        clearTimeout(quiet);
        resolve(`${received} bytes`);
      });
    socket.write(bytes);
  });
}
