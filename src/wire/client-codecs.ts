/** One function for each operation that is called on agents: what makes up a client's dialect. */
import type { RequestOf } from "../protocol/service.ts";
import type { ClientOperation, ClientOperations } from "./client.ts";

export type Encoders<Wire> = {
  readonly [N in ClientOperation]: (request: RequestOf<N>) => Wire;
};

export type Decoders<Wire> = {
  readonly [N in ClientOperation]: (wire: Wire) => ClientOperations[N];
};

export function encodeBy<Wire>(encoders: Encoders<Wire>) {
  return <N extends ClientOperation>(operation: N, request: RequestOf<N>): Wire =>
    encoders[operation](request);
}

export function decodeBy<Wire>(decoders: Decoders<Wire>) {
  return <N extends ClientOperation>(operation: N, wire: Wire): ClientOperations[N] =>
    decoders[operation](wire);
}
