/** The catalogue of agents, at `/a2a`: what it is asked for, conditional requests. The protocol has none of its own. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { requestIdOf, type Credentials } from "../request.ts";
import { SAFE_HEADERS } from "../safe-headers.ts";
import { decodedOf, pathOf, queryOf } from "./address.ts";
import { versionOf } from "./call.ts";
import { catalogueQueryOf, type CatalogueQuery, type QueryProblem } from "./catalogue-query.ts";
import { credentialsOf } from "./credentials.ts";
import { sendJson } from "./door.ts";
import type { Origins } from "./origin.ts";
import { isNamedIn, isRead, refuse, type Counted } from "./read-only.ts";

export interface CatalogueRequest extends CatalogueQuery {
  /** The version that the caller names. */
  readonly version: string | undefined;
  /** Where the caller reached the gateway, if it may appear in a card. */
  readonly origin: string | undefined;
  /** What the request brings that may say who sent it. */
  credentials(): Credentials;
}

export interface ServedCatalogue {
  readonly body: string;
  /** Quoted, as it stands in the header. */
  readonly etag: string;
  /** Seconds. */
  readonly maxAge: number;
  /** Whether it is for its caller alone, so that no cache may keep it. */
  readonly isPrivate?: boolean;
}

/** Throws UNAUTHENTICATED, and what else keeps a caller from being known, where callers are asked who they are. */
export type CatalogueSource = (
  request: CatalogueRequest,
) => ServedCatalogue | Promise<ServedCatalogue>;

const PATH = /^\/a2a\/?$/;
/** The same with a query behind it, or percent signs in it, which most requests have not. */
const CANDIDATE = /^\/a2a\/?(?:\?|$)|^[^?]*%/;

/** Answers GET and HEAD, preflights, and other methods with 405. Whatever is not at its path goes on. */
export function catalogueRoute(
  source: CatalogueSource,
  { origins, countRequest }: Counted,
): Middleware {
  const read = { counting: { origins, countRequest }, notAllowed: NOT_ALLOWED };
  return ({ req, res }, next) => {
    const url = req.url ?? "/";
    if (!CANDIDATE.test(url) || !PATH.test(decodedOf(pathOf(url)) ?? "")) return next();
    return isRead(req, res, read) ? show({ source, origins }, req, res) : Promise.resolve();
  };
}

interface Shown {
  readonly source: CatalogueSource;
  readonly origins: Origins;
}

async function show(
  { source, origins }: Shown,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const query = queryOf(req.url ?? "/");
  const asked = catalogueQueryOf(query);
  if (asked.problems.length > 0) return sendJson(res, 400, refusal(asked.problems));
  const version = versionOf(req, query);
  const credentials = (): Credentials => {
    const requestId = requestIdOf(req.headers["x-request-id"], randomUUID);
    return credentialsOf(req, {
      query,
      address: origins.addressOf(req),
      asked: { ...NOTHING_KNOWN, requestId },
    });
  };
  try {
    const request = { ...asked.query, version, origin: origins.of(req), credentials };
    answer(req, res, await source(request), origins.headers);
  } catch (thrown) {
    refuse(res, thrown);
  }
}

/** It is of no binding, and about no agent alone. */
const NOTHING_KNOWN = {
  binding: undefined,
  agent: undefined,
  version: undefined,
  operation: undefined,
};

const NOT_ALLOWED = JSON.stringify({
  error: {
    code: 405,
    status: "UNIMPLEMENTED",
    message: "the catalogue is read with GET or HEAD; an agent is called below it, at /a2a/<id>",
  },
});

/** In the error form of HTTP+JSON 1.0 (spec 11.6), with a violation for each parameter. */
function refusal(fieldViolations: readonly QueryProblem[]): string {
  const problems = fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
  const message = problems.join("; ");
  return JSON.stringify({ error: { code: 400, status: "INVALID_ARGUMENT", message, details } });
}

/**
 * There is no date of the last change: an agent that goes away leaves none, and a copy that still has it would count
 * as the current one.
 */
function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { body, etag, maxAge, isPrivate = false }: ServedCatalogue,
  headersOfOrigin: readonly string[],
): void {
  const caching = isPrivate ? "private, no-store" : `public, max-age=${maxAge}`;
  const vary = ["A2A-Version", ...(isPrivate ? ["Authorization"] : []), ...headersOfOrigin];
  const headers = ["ETag", etag, "Cache-Control", caching, "Vary", vary.join(", ")];
  const tags = req.headers["if-none-match"];
  if (tags !== undefined && isNamedIn(tags, etag))
    res.writeHead(304, [...SAFE_HEADERS, ...headers]).end();
  else sendJson(res, 200, body, headers);
}
