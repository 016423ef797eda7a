/**
 * Posts each turn as JSON to a URL. In the configuration file one of
 *
 *     http: https://agent.internal/turn              # short for { url: … }
 *     http: { url: https://agent.internal/turn, headers: { authorization: "Bearer …" }, idleTimeout: 30s }
 *
 * The request is the turn (see turn-json.ts); the answer is JSON (an event or a list of events), JSON lines or SSE, by
 * its content type (see events.ts for the events).
 */
export interface HttpConfig {
  readonly kind: "http";
  /** http or https. Redirects are not followed. */
  readonly url: string;
  /** Sent with each request. They win over the caller's headers that the agent lets through. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told of a canceled turn by a POST of `{"type":"a2a_cancel","agent","taskId","contextId","messageId","metadata"?}`. Default: nobody is. */
  readonly cancelUrl?: string;
  /** Milliseconds to connect. Default 10,000. */
  readonly connectTimeout?: number;
  /** Milliseconds from the request to the answer's head; 0: without limit. Default 60,000. */
  readonly headTimeout?: number;
  /** Milliseconds without a byte of the answer's body; 0: without limit. Default 60,000. */
  readonly idleTimeout?: number;
  /** Milliseconds for the whole turn; 0: without limit. Default 600,000 (10 minutes). */
  readonly timeout?: number;
  /** Bytes of one answer's body. Default 16,777,216 (16 MiB). */
  readonly maxAnswer?: number;
  /** Bytes of one line or SSE event. Default 4,194,304 (4 MiB). */
  readonly maxEvent?: number;
}
