/**
 * Puts a remote A2A agent behind the gateway. In the configuration file one of
 *
 *     upstream: https://agent.example                 # short for { url: … }
 *     upstream: { url: https://agent.example/path, auth: { bearer: "${TOKEN}" }, version: "1.0" }
 *
 * Which interface is called is in the agent's card (see discovery/discover.ts); what is sent along with a call, in
 * credentials/credentials.ts.
 */
import type { ProtocolBinding } from "../../protocol/agent-card.ts";
import type { JsonObject } from "../../protocol/json.ts";

/** Exactly one of `url`, `urls` and `card` says where the agent is. */
export interface UpstreamConfig {
  readonly kind: "upstream";
  /** http or https: where the agent's card is found, below its path; or the card itself, when it ends in `.json`. */
  readonly url?: string;
  /** Several of the kind, each of the same agent: the interfaces of the first are called while they work. */
  readonly urls?: readonly string[];
  /** The path of a card in JSON, or the card: for agents that publish none. Either version. */
  readonly card?: string | JsonObject;
  /** Only interfaces of this protocol version are called. Default: of any. */
  readonly version?: "1.0" | "0.3";
  /** Only interfaces of this binding are called. Default: of any. */
  readonly binding?: ProtocolBinding;
  /** Sent with each request, that for the card too. They win over the caller's headers that the agent lets through. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who the gateway is to the agent. It wins over `headers`. Default: nobody. */
  readonly auth?: UpstreamAuth;
  readonly tls?: UpstreamTls;
  /** Milliseconds to connect. Default 10,000. */
  readonly connectTimeout?: number;
  /** Milliseconds from a streaming request to the answer's head; 0: without limit. Default 60,000. */
  readonly headTimeout?: number;
  /** Milliseconds without a byte of a stream; 0: without limit. Default 300,000 (5 minutes). */
  readonly idleTimeout?: number;
  /** Milliseconds for a call that is no stream; 0: without limit. Default 60,000. */
  readonly callTimeout?: number;
  /** Bytes of the answer to a call that is no stream. Default 16,777,216 (16 MiB). */
  readonly maxAnswer?: number;
  /** Bytes of one event of a stream. Default 4,194,304 (4 MiB). */
  readonly maxEvent?: number;
  /** Events of one task. Default 100,000. */
  readonly maxEvents?: number;
  /** Connections to one interface at a time; further calls wait. Streams leave an eighth to other calls. Default 128. */
  readonly connections?: number;
  /** Of calls that the agent has not seen. */
  readonly retries?: UpstreamRetries;
  readonly breaker?: UpstreamBreaker;
  readonly health?: UpstreamHealth;
  /** Of tasks of agents that do not stream. */
  readonly poll?: UpstreamPoll;
  /**
   * What is made of a fetched card that is not signed with one of the trusted keys (spec 8.4): nothing, a line in the
   * log, or it is as good as none. Default `off`.
   */
  readonly cardSignatures?: "off" | "warn" | "require";
  /** The path of a JSON Web Key Set (RFC 7517), which is read for each card that is fetched, or the keys themselves. */
  readonly trustedKeys?: string | readonly JsonObject[];
  /** Where further sets of trusted keys are: the only values of `jku` in a signature that count. */
  readonly trustedKeyUrls?: readonly string[];
  /** Milliseconds after which the card is asked for again; 0: never. Default 300,000 (5 minutes). */
  readonly cardRefresh?: number;
}

/** One of the four. */
export interface UpstreamAuth {
  /** Sent as `Authorization: Bearer …`. */
  readonly bearer?: Secret;
  readonly basic?: { readonly username: string; readonly password: Secret };
  /** A header of that name. */
  readonly apiKey?: { readonly name: string; readonly value: Secret };
  readonly oauth2?: UpstreamOAuth2;
}

/** The text itself, or a file that is read again when it changes. */
export type Secret = string | { readonly file: string };

/** The client credentials grant (RFC 6749, 4.4). */
export interface UpstreamOAuth2 {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Default: those that the authorization server gives. */
  readonly scopes?: readonly string[];
  /** Sent as `audience`, which some authorization servers ask for. */
  readonly audience?: string;
}

/** Paths of PEM files. */
export interface UpstreamTls {
  /** The certificates that the agent's is checked against, instead of those that Node knows. */
  readonly ca?: string;
  /** The gateway's own, for agents that ask for one; beside `key`. */
  readonly cert?: string;
  readonly key?: string;
}

export interface UpstreamRetries {
  /** The first one counts. Default 3. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt, doubled before each further one. Default 200. */
  readonly backoff?: number;
  /** Milliseconds that the doubling ends at. Default 5,000. */
  readonly maxBackoff?: number;
}

export interface UpstreamBreaker {
  /** After so many in a row, an interface is not called. Default 5. */
  readonly failures?: number;
  /** Milliseconds until one call tries it again. Default 30,000. */
  readonly cooldown?: number;
}

export interface UpstreamHealth {
  /** Milliseconds between two checks of each interface; 0: none is checked. Default 30,000. */
  readonly interval?: number;
}

export interface UpstreamPoll {
  /** Milliseconds to the first question, and longer from one to the next. Default 1,000. */
  readonly interval?: number;
  /** The longest. Default 15,000. */
  readonly max?: number;
}
