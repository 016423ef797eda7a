/** What a remote agent may cost: milliseconds, bytes and connections. 0: without limit, except of `connections`. */
export interface PeerLimits {
  /** Until the connection can be used, TLS included. */
  readonly connectTimeout: number;
  /** From the request of a stream to the head of its answer (on gRPC: to the first sign of life); and for its turn to connect. */
  readonly headTimeout: number;
  /** Without a byte of a stream: comments count. On gRPC, without a message. */
  readonly idleTimeout: number;
  /** For a call that is no stream, all of it. */
  readonly callTimeout: number;
  /** Bytes of the answer to a call that is no stream, decompressed. */
  readonly maxAnswer: number;
  /** Of one event of a stream: characters of SSE data, bytes of a gRPC message. */
  readonly maxEvent: number;
  /** Connections at a time; further calls wait. Of 8 or more, streams leave an eighth to calls that are none. */
  readonly connections: number;
}
