/** The catalogue of agents, at `/a2a`: what it is asked for, conditional requests. The protocol has none of its own. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { decodedOf, pathOf, queryOf } from "./address.ts";
import { versionOf } from "./call.ts";
import { catalogueQueryOf, type CatalogueQuery, type QueryProblem } from "./catalogue-query.ts";
import { preflight } from "./cors.ts";
import { sendJson } from "./door.ts";
import type { Origins } from "./origin.ts";

export interface CatalogueRequest extends CatalogueQuery {
  /** The version that the caller names. */
  readonly version: string | undefined;
  /** Where the caller reached the gateway, if it may appear in a card. */
  readonly origin: string | undefined;
}

export interface ServedCatalogue {
  readonly body: string;
  /** Quoted, as it stands in the header. */
  readonly etag: string;
  /** Seconds. */
  readonly maxAge: number;
}

export type CatalogueSource = (request: CatalogueRequest) => ServedCatalogue;

const PATH = /^\/a2a\/?$/;
/** The same with a query behind it, or percent signs in it, which most requests have not. */
const CANDIDATE = /^\/a2a\/?(?:\?|$)|^[^?]*%/;

/** Answers GET and HEAD, preflights, and other methods with 405. Whatever is not at its path goes on. */
export function catalogueRoute(source: CatalogueSource, origins: Origins): Middleware {
  const vary = ["Vary", ["A2A-Version", ...origins.headers].join(", ")];
  return ({ req, res }, next) => {
    const url = req.url ?? "/";
    if (!CANDIDATE.test(url) || !PATH.test(decodedOf(pathOf(url)) ?? "")) return next();
    if (isRead(req, res)) {
      const query = queryOf(url);
      const asked = catalogueQueryOf(query);
      if (asked.problems.length > 0) sendJson(res, 400, refusal(asked.problems));
      else {
        const version = versionOf(req, query);
        const found = source({ ...asked.query, version, origin: origins.of(req) });
        answer(req, res, found, vary);
      }
    }
    return Promise.resolve();
  };
}

/** Answers what is no GET or HEAD. */
function isRead({ method }: IncomingMessage, res: ServerResponse): boolean {
  if (method === "OPTIONS") preflight(res, "*", METHODS);
  else {
    res.setHeader("Access-Control-Allow-Origin", "*");
    if (method === "GET" || method === "HEAD") return true;
    sendJson(res, 405, NOT_ALLOWED, ["Allow", METHODS]);
  }
  return false;
}

const METHODS = "GET, HEAD, OPTIONS";
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
  { body, etag, maxAge }: ServedCatalogue,
  vary: readonly string[],
): void {
  const headers = ["ETag", etag, "Cache-Control", `public, max-age=${maxAge}`, ...vary];
  if (isNamedIn(req.headers["if-none-match"], etag)) res.writeHead(304, headers).end();
  else sendJson(res, 200, body, headers);
}

/** Compares weakly (RFC 9110, 13.1.2). */
function isNamedIn(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false;
  return list.trim() === "*" || (list.match(/"[^"]*"/g)?.includes(etag) ?? false);
}
