/** The connection to one interface of a remote agent. */
import type { ProtocolBinding } from "../../../protocol/agent-card.ts";
import type { RequestOf } from "../../../protocol/service.ts";
import type { ClientDialect, ClientEvent, ClientOperations } from "../../../wire/client.ts";
import type { Signal } from "../../cut.ts";
import type { PeerLimits } from "./limits.ts";

export type UnaryOperation = "sendMessage" | "getTask" | "cancelTask";
export type StreamOperation = "sendStreamingMessage" | "subscribeToTask";

/** What goes along with a call. */
export interface PeerCall {
  readonly headers: Readonly<Record<string, string>>;
  /** URIs. */
  readonly extensions: readonly string[];
  /** Aborted, it ends the call, which fails with the signal's reason. */
  readonly signal: Signal;
}

/**
 * One interface of a remote agent. Calls fail with an A2AError for what the agent answered, and with a PeerFailure
 * when the connection failed or the agent did not take the call.
 */
export interface Peer {
  call<N extends UnaryOperation>(
    operation: N,
    request: RequestOf<N>,
    call: PeerCall,
  ): Promise<ClientOperations[N]>;
  /**
   * The events, those together that came together. Calls when the first ones are asked for, and reads no faster than they
   * are. Ends after the event with isLast, when the agent ends it, or when its consumer returns, which closes the call at
   * once where it waits for more, and else where the agent does not end it right then.
   */
  stream<N extends StreamOperation>(
    operation: N,
    request: RequestOf<N>,
    call: PeerCall,
  ): AsyncIterable<readonly ClientEvent[]>;
  /** Cuts every call. */
  close(): void;
}

/** PEM. */
export interface PeerTls {
  /** Who signs the agent's certificate, in place of the authorities that Node knows. */
  readonly ca?: string;
  /** The gateway's own. */
  readonly cert?: string;
  readonly key?: string;
}

export interface PeerSettings {
  /** http or https; on gRPC also `host:port`, over TLS when the port is 443 or `tls` is given. */
  readonly url: string;
  readonly binding: ProtocolBinding;
  readonly dialect: ClientDialect;
  readonly limits: PeerLimits;
  readonly tls?: PeerTls | undefined;
}
