/** A dialect's codecs bound to the task service: what a transport calls. */
import {
  OPERATIONS,
  type A2AService,
  type Call,
  type OperationName,
  type OutputOf,
  type StreamOperations,
  type StreamService,
  type UnaryOperations,
  type UnaryService,
} from "../protocol/service.ts";
import type { Codec, Codecs, Dialect } from "./dialect.ts";

/** One item of an encoded stream; `generation` is there on events that can be resumed after. */
export interface EncodedItem {
  readonly wire: unknown;
  readonly generation?: number;
}

export interface UnaryEndpoint {
  readonly kind: "unary";
  /** Throws A2AError for what the caller did wrong; anything else thrown is a fault of ours. */
  invoke(wire: unknown, call: Call): Promise<unknown>;
}

export interface StreamEndpoint {
  readonly kind: "stream";
  /** Decodes at once: a request that is wrong throws here, before there is a stream. */
  invoke(wire: unknown, call: Call): AsyncIterable<EncodedItem>;
}

export type Endpoint = UnaryEndpoint | StreamEndpoint;
/** Only of the operations that the version has on the binding. */
export type Endpoints = Readonly<Partial<Record<OperationName, Endpoint>>>;

/** A protocol version bound to the task service: what the transports are given. */
export interface BoundDialect {
  readonly dialect: Dialect;
  readonly jsonrpc: Endpoints;
  readonly rest: Endpoints;
  readonly grpc: Endpoints;
}

export function bind(dialect: Dialect, service: A2AService): BoundDialect {
  return {
    dialect,
    jsonrpc: endpointsOf(dialect.jsonrpc.codecs, service),
    rest: endpointsOf(dialect.rest.codecs, service),
    grpc: endpointsOf(dialect.grpc.codecs, service),
  };
}

/** Binds each operation that has codecs to the service. */
function endpointsOf(codecs: Codecs, service: A2AService): Endpoints {
  const bound: Partial<Record<OperationName, Endpoint>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const endpoint = endpointOf(name, codecs, service);
    if (endpoint !== undefined) bound[name] = endpoint;
  }
  return bound;
}

function endpointOf(
  name: OperationName,
  codecs: Codecs,
  service: A2AService,
): Endpoint | undefined {
  return isStream(name)
    ? streamEndpoint(name, codecs, service)
    : unaryEndpoint(name, codecs, service);
}

function isStream(name: OperationName): name is keyof StreamOperations {
  return OPERATIONS[name] === "stream";
}

function unaryEndpoint<N extends keyof UnaryOperations>(
  name: N,
  codecs: Pick<Codecs, N>,
  service: UnaryService,
): UnaryEndpoint | undefined {
  const codec: Codec<N> | undefined = codecs[name];
  return (
    codec && {
      kind: "unary",
      async invoke(wire, call) {
        return codec.encode(await service[name](codec.decode(wire), call));
      },
    }
  );
}

function streamEndpoint<N extends keyof StreamOperations>(
  name: N,
  codecs: Pick<Codecs, N>,
  service: StreamService,
): StreamEndpoint | undefined {
  const codec: Codec<N> | undefined = codecs[name];
  return (
    codec && {
      kind: "stream",
      invoke: (wire, call) => new EncodedStream(service[name](codec.decode(wire), call), codec),
    }
  );
}

/**
 * Not an async generator: its `return` would wait in line behind a `next` that is still out, and the service would
 * never hear of a reader that leaves an idle stream.
 */
class EncodedStream<
  N extends keyof StreamOperations,
> implements AsyncIterableIterator<EncodedItem> {
  readonly #source: AsyncIterator<OutputOf<N>>;
  readonly #codec: Codec<N>;

  constructor(items: AsyncIterable<OutputOf<N>>, codec: Codec<N>) {
    this.#source = items[Symbol.asyncIterator]();
    this.#codec = codec;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<EncodedItem>> {
    const step = await this.#source.next();
    if (step.done === true) return { value: undefined, done: true };
    const { generation } = step.value;
    const wire = this.#codec.encode(step.value);
    return { value: generation === undefined ? { wire } : { wire, generation }, done: false };
  }

  async return(): Promise<IteratorResult<EncodedItem>> {
    await this.#source.return?.();
    return { value: undefined, done: true };
  }
}
