import type { ProtocolBinding } from "./agent-card.ts";
import type { OperationName } from "./service.ts";

/** What is known of a request before its caller is: whom nobody lets in is written down with it. */
export interface Asked {
  readonly requestId: string;
  /** Undefined for the catalogue. */
  readonly binding: ProtocolBinding | undefined;
  /** Undefined where a message tells it, which nobody has read yet, as with the two after it. */
  readonly agent: string | undefined;
  readonly version: string | undefined;
  readonly operation: OperationName | undefined;
}
