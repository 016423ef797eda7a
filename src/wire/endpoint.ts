/** A dialect's codecs bound to the task service: what a transport calls. */
import { A2AError } from "../protocol/errors.ts";
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
export type Endpoints = Readonly<Record<OperationName, Endpoint>>;

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

/** Binds every operation of the service to the codecs of one binding of one version. */
function endpointsOf(codecs: Codecs, service: A2AService): Endpoints {
  const bound: Partial<Record<OperationName, Endpoint>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[])
    bound[name] = endpointOf(name, codecs, service);
  return bound as Endpoints;
}

function endpointOf(name: OperationName, codecs: Codecs, service: A2AService): Endpoint {
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
): UnaryEndpoint {
  const codec: Codec<N> = codecs[name];
  return {
    kind: "unary",
    async invoke(wire, call) {
      return codec.encode(await service[name](codec.decode(wire), call));
    },
  };
}

function streamEndpoint<N extends keyof StreamOperations>(
  name: N,
  codecs: Pick<Codecs, N>,
  service: StreamService,
): StreamEndpoint {
  const codec: Codec<N> = codecs[name];
  return {
    kind: "stream",
    invoke: (wire, call) => new EncodedStream(service[name](codec.decode(wire), call), codec),
  };
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

/**
 * The contract of the version header (spec 3.6.2): absent or empty is fine, the door's own version is fine whatever
 * its patch number, anything else is VERSION_NOT_SUPPORTED and names what is supported.
 */
export function checkVersion(
  header: string | undefined,
  dialect: string,
  supported: readonly string[],
): void {
  if (header === undefined || header.trim() === "") return;
  const match = /^\s*(\d+)\.(\d+)(?:\.\d+)?\s*$/.exec(header);
  if (match && `${match[1]}.${match[2]}` === dialect) return;
  throw new A2AError(
    "VERSION_NOT_SUPPORTED",
    `protocol version ${JSON.stringify(header)} is not supported here`,
    {
      metadata: { supportedVersions: supported.join(",") },
    },
  );
}
