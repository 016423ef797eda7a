/** What JSON-RPC and HTTP+JSON do each in their own way. */
import type { A2AError } from "../../../protocol/errors.ts";
import type { RequestOf } from "../../../protocol/service.ts";
import type { ClientOperation, ClientOperations } from "../../../wire/client.ts";

export interface HttpBinding {
  begin<N extends ClientOperation>(
    operation: N,
    request: RequestOf<N>,
  ): HttpExchange<ClientOperations[N]>;
}

/** One call. */
export interface HttpExchange<T> {
  readonly method: "GET" | "POST";
  /** At the address of the interface, with its query. */
  readonly path: string;
  readonly body: string | undefined;
  /**
   * What the JSON of an answer says, or that of an event of this name. Throws the agent's error, and
   * INVALID_AGENT_RESPONSE.
   */
  read(json: unknown, event: string | undefined): T;
  /** The error in an answer of this status, whose body is undefined where it was no JSON; undefined: the status says it. */
  errorOf(status: number, json: unknown): A2AError | undefined;
}
