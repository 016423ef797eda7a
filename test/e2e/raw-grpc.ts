/** gRPC calls made of any bytes, over HTTP/2 without a gRPC client. */
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { v1 } from "../../src/wire/v1/index.ts";

export interface RawAnswer {
  readonly http: number | undefined;
  readonly status: number;
  readonly message: string | undefined;
}

/** A message in its frame: not compressed, with its length. */
export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

interface RawOptions {
  /** Bytes that stand for the message in its frame. */
  readonly frame?: Uint8Array;
  readonly headers?: Record<string, string>;
}

/** Calls a method of the 1.0 service, on a connection of its own. */
export async function rawGrpc(
  port: number,
  method: string,
  message: Uint8Array,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const connection = new GrpcConnection(port);
  try {
    return await connection.call(method, message, options);
  } finally {
    connection.close();
  }
}

export class GrpcConnection {
  readonly #session: ClientHttp2Session;

  constructor(port: number) {
    this.#session = connect(`http://127.0.0.1:${port}`);
    this.#session.on("error", () => undefined);
  }

  call(
    method: string,
    message: Uint8Array,
    { frame = framed(message), headers = {} }: RawOptions = {},
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ":method": "POST",
        ":path": `/${v1.grpc.service}/${method}`,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      let answer: IncomingHttpHeaders & { ":status"?: number } = {};
      const add = (more: IncomingHttpHeaders): void => {
        answer = { ...answer, ...more };
      };
      stream.on("response", add).on("trailers", add).on("error", reject).resume();
      stream.on("close", () =>
        resolve({
          http: answer[":status"],
          status: Number(answer["grpc-status"]),
          message: answer["grpc-message"]?.toString(),
        }),
      );
      stream.end(frame);
    });
  }

  close(): void {
    this.#session.destroy();
  }
}
