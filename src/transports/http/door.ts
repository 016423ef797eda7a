/** What the two HTTP bindings are made of: the dialects they speak and what they share. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Asked } from "../../protocol/asked.ts";
import type { A2AError } from "../../protocol/errors.ts";
import type { Dialect } from "../../wire/dialect.ts";
import type { BoundDialect } from "../../wire/endpoint.ts";
import { UNASKED, type Principal } from "../../protocol/principal.ts";
import type { CountRequest } from "../../protocol/quota.ts";
import { retryAfterOf, type Authenticate, type Directory, type DoorLog } from "../request.ts";
import { SAFE_HEADERS } from "../safe-headers.ts";
import { queryOf } from "./address.ts";
import { credentialsOf } from "./credentials.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Origins } from "./origin.ts";
import { tellQuota } from "./quota.ts";

export interface DoorOptions {
  /** Newest version first; at least one. */
  readonly dialects: readonly [BoundDialect, ...BoundDialect[]];
  /** The largest request body, in bytes. */
  readonly maxBodyBytes: number;
  readonly directory: Directory;
  /** The one agent that is behind this door; without it the address decides, and the primary agent. */
  readonly agent?: string;
  /** Undefined where nobody is asked who they are. */
  readonly authenticate: Authenticate | undefined;
  /** Undefined where nobody counts. */
  readonly countRequest: CountRequest | undefined;
  /** Where callers are, behind proxies too. */
  readonly origins: Pick<Origins, "addressOf">;
  /** Keeps the streams of all doors alive. */
  readonly heartbeat: Heartbeat;
  /** A new request id, for requests that bring none. */
  newId(): string;
  readonly log: DoorLog;
}

/** What it takes to count requests. */
export type Counting = Pick<DoorOptions, "countRequest" | "origins">;

/** Counts a request, and tells its sender what is left: before anything else is done for it. Throws RATE_LIMITED. */
export function countRequest(
  { countRequest: count, origins }: Counting,
  res: ServerResponse,
): void {
  count?.(origins.addressOf(res.req), (quota) => tellQuota(res, quota));
}

/** Who sent a request; to be asked before anything of its body is read. Throws as `Authenticate` does. */
export function principalOf(
  { authenticate, origins }: Pick<DoorOptions, "authenticate" | "origins">,
  req: IncomingMessage,
  asked: Asked,
): Promise<Principal> | Principal {
  if (authenticate === undefined) return UNASKED;
  const address = origins.addressOf(req);
  return authenticate(credentialsOf(req, { query: queryOf(req.url ?? "/"), address, asked }));
}

/** The dialects of a door, newest first. */
export function spokenBy([newest, ...older]: DoorOptions["dialects"]): readonly [
  Dialect,
  ...Dialect[],
] {
  return [newest.dialect, ...older.map(({ dialect }) => dialect)];
}

/**
 * Answers with JSON text, unless an answer has begun or the client is gone. `headers` is a flat list of pairs; without
 * any, nobody may keep the answer.
 */
export function sendJson(
  res: ServerResponse,
  status: number,
  text: string,
  headers: readonly string[] = NO_STORE,
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(Buffer.byteLength(text)),
    ...SAFE_HEADERS,
    ...headers,
  ]);
  if (status === 413 && !res.req.complete) endAfterRequest(res, text);
  else res.end(text);
}

const NO_STORE: readonly string[] = ["Cache-Control", "no-store"];

/** The headers that belong to an error, whatever the binding. */
export function errorHeaders(error: A2AError): readonly HeaderPair[] {
  const headers: HeaderPair[] = [["Cache-Control", "no-store"]];
  if (error.reason === "UNAUTHENTICATED")
    headers.push(["WWW-Authenticate", challengesOf(error).join(", ")]);
  if (error.reason === "TOO_LARGE") headers.push(["Connection", "close"]);
  if (error.retryAfter !== undefined) headers.push(["Retry-After", retryAfterOf(error.retryAfter)]);
  return headers;
}

/** An answer of 401 has at least one (RFC 9110, 15.5.2); a handler's error may bring none. */
function challengesOf({ challenges }: A2AError): readonly string[] {
  return challenges.length > 0 ? challenges : ["Bearer"];
}

export type HeaderPair = readonly [name: string, value: string];

const LINGER_MS = 5000;

/**
 * A connection that is closed while the client still sends is reset, and the client loses the answer. So the rest of
 * the request is read and thrown away, for a while, before the connection goes.
 */
function endAfterRequest(res: ServerResponse, text: string): void {
  const { req } = res;
  const timer = setTimeout(end, LINGER_MS);
  req.once("end", end).once("close", end).resume();
  res.write(text);

  function end(): void {
    clearTimeout(timer);
    if (!res.writableEnded) res.end();
  }
}
