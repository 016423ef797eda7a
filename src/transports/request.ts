/** What every binding reads from the headers or the metadata of a request, and tells the log of its failure. */
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import type { Asked } from "../protocol/asked.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Principal } from "../protocol/principal.ts";
import type { PeerCertificate } from "./tls-peer.ts";

/** Told of failures that the caller sees only as "internal error", and at debug of what is unusual. */
export interface DoorLog {
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Whatever was thrown as the error that the caller sees; the cause of an internal error goes to the log, once. */
export function errorOf(thrown: unknown, log: DoorLog, fields: object): A2AError {
  const error = A2AError.from(thrown);
  if (error.reason === "INTERNAL_ERROR" && !error.reported)
    log.error({ ...fields, err: error.cause ?? error }, "call failed");
  return error;
}

/** A header by its name: Node gives some that are repeated as a list. */
export type HeaderValue = string | string[] | undefined;

/** What comes with a request and may say who sent it. */
export interface Credentials {
  /** The headers or gRPC metadata, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parameters in the URL; there are none on gRPC. */
  readonly query: { get(name: string): string | null };
  /** The certificate that the connection's other end showed, of an authority that the listener trusts. */
  readonly certificate: PeerCertificate | undefined;
  /** The caller's IP address, that of a trusted proxy's client included. */
  readonly address: string;
  readonly asked: Asked;
}

/**
 * Who calls. Throws UNAUTHENTICATED for credentials that are not good, or are missing and needed, and RATE_LIMITED after
 * too many guesses; at once, or in the promise where somebody has to be waited for.
 */
export type Authenticate = (credentials: Credentials) => Principal | Promise<Principal>;

/** What the doors ask about the agents. */
export interface Directory {
  /** Whether there is an agent of that id. */
  has(agent: string): boolean;
  /** The agent that a host names by its first label, unless it is the host of all of them. */
  namedByHost(authority: string): string | undefined;
  /**
   * The versions that an agent offers on a binding, newest first; of the primary agent for undefined, and for an id
   * that nobody has all of them, so that the answer is about the id.
   */
  versionsOf(agent: string | undefined, binding: ProtocolBinding): readonly string[];
}

/**
 * The agent of a request whose address names `named`, on a listener that is `own` to one agent or to nobody. Throws
 * METHOD_NOT_FOUND where the address names another agent than the listener's.
 */
export function agentAt(own: string | undefined, named: string | undefined): string | undefined {
  if (own === undefined || named === undefined || named === own) return named ?? own;
  throw new A2AError("METHOD_NOT_FOUND", `no agent ${JSON.stringify(named)} here`);
}

const LOGGABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's request id where it is fit for a log line, else a new one. */
export function requestIdOf(given: HeaderValue, newId: () => string): string {
  return typeof given === "string" && LOGGABLE.test(given) ? given : newId();
}

const NO_EXTENSIONS: readonly string[] = [];

/** The URIs in a list with commas, in order, without repeats. */
export function extensionsOf(list: string | undefined): readonly string[] {
  if (list === undefined) return NO_EXTENSIONS;
  const uris = list
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => uri !== "");
  return [...new Set(uris)];
}

/** The generation after which a stream is to be resumed; undefined for what is no number. */
export function generationOf(cursor: HeaderValue): number | undefined {
  return typeof cursor === "string" && /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
}

/** Seconds as `Retry-After` takes them. */
export function retryAfterOf(seconds: number): string {
  return String(Math.max(1, Math.ceil(seconds)));
}
