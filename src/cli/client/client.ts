/** A small A2A client: it reads the card, takes one of its doors and calls it. */
import type { ProtocolBinding } from "../../protocol/agent-card.ts";
import { fetchCard, interfaceOf } from "./card.ts";
import type { Door, DoorInput, StreamOptions } from "./door.ts";
import { grpcDoor } from "./grpc.ts";
import { jsonRpcDoor } from "./jsonrpc.ts";
import { OPERATIONS, type StreamCalls, type UnaryCalls } from "./operations.ts";
import { restDoor } from "./rest.ts";
import type { ClientTls } from "./tls.ts";
import { decodeJson } from "./wire.ts";

export interface ClientOptions {
  readonly url: string;
  /** Default: the first one in the card. */
  readonly binding?: ProtocolBinding | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** How long each call may take that is no stream; absent: without limit. */
  readonly timeoutMs?: number | undefined;
  readonly tls?: ClientTls | undefined;
}

export interface Client {
  call<N extends keyof UnaryCalls>(
    operation: N,
    request: UnaryCalls[N][0],
  ): Promise<UnaryCalls[N][1]>;
  stream<N extends keyof StreamCalls>(
    operation: N,
    request: StreamCalls[N][0],
    options?: StreamOptions,
  ): AsyncIterable<StreamCalls[N][1]>;
  close(): void;
}

const DOORS: Readonly<Record<ProtocolBinding, (input: DoorInput) => Door>> = {
  JSONRPC: jsonRpcDoor,
  "HTTP+JSON": restDoor,
  GRPC: grpcDoor,
};

/** Throws a RemoteError, as do the calls, for everything that the other side or the way to it did wrong. */
export async function connect(options: ClientOptions): Promise<Client> {
  const { url, binding: wanted, headers, timeoutMs, tls } = options;
  const { card } = await fetchCard(options);
  const { binding, door: target } = interfaceOf(card, wanted);
  const isSecure = new URL(url).protocol === "https:";
  const door = DOORS[binding]({ interface: target, headers, timeoutMs, isSecure, tls });
  return {
    async call(operation, request) {
      const json = await door.call(operation, request);
      return decodeJson(OPERATIONS[operation].answer, json) as UnaryCalls[typeof operation][1];
    },
    async *stream(operation, request, options = {}) {
      for await (const json of door.stream(operation, request, options))
        yield decodeJson(OPERATIONS[operation].answer, json) as StreamCalls[typeof operation][1];
    },
    close: () => door.close(),
  };
}
