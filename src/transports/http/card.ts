/** Agent cards at their well-known addresses, with conditional requests (spec 8.6). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { decodedOf, pathOf } from "./address.ts";
import { preflight } from "./cors.ts";
import { sendJson } from "./door.ts";

export interface ServedCard {
  readonly body: string;
  /** Quoted, as it stands in the header. */
  readonly etag: string;
  readonly lastModified: Date;
  /** Seconds. */
  readonly maxAge: number;
}

export interface CardSource {
  /** The card of that agent, or of the primary agent for undefined; undefined when there is none. */
  card(agent: string | undefined): ServedCard | undefined;
}

/** The current name and the one of before 0.3. */
const PATH = /^(?:\/a2a\/([^/]+))?\/\.well-known\/agent(?:-card)?\.json\/?$/;

export function cardRoutes(source: CardSource): Middleware {
  return (ctx, next) => {
    const { req, res } = ctx;
    const url = req.url ?? "/";
    if (!url.includes("well-known")) return next();
    const match = PATH.exec(decodedOf(pathOf(url)) ?? "");
    if (match === null) return next();
    answer(source, match[1], req, res);
    return Promise.resolve();
  };
}

function answer(
  source: CardSource,
  agent: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  if (req.method === "OPTIONS") return preflight(res, "*", "GET, HEAD, OPTIONS");
  res.setHeader("Access-Control-Allow-Origin", "*");
  if (req.method !== "GET" && req.method !== "HEAD")
    return sendJson(res, 405, NOT_ALLOWED, ["Allow", "GET, HEAD, OPTIONS"]);
  const card = source.card(agent);
  if (card === undefined) return sendJson(res, 404, NOT_FOUND);
  const headers = headersOf(card);
  if (isFresh(req, card)) res.writeHead(304, headers).end();
  else sendJson(res, 200, card.body, headers);
}

const NOT_FOUND = JSON.stringify({
  error: { code: 404, status: "NOT_FOUND", message: "no such agent" },
});
const NOT_ALLOWED = JSON.stringify({
  error: { code: 405, status: "UNIMPLEMENTED", message: "cards are read with GET or HEAD" },
});

function headersOf(card: ServedCard): string[] {
  return [
    "ETag",
    card.etag,
    "Last-Modified",
    card.lastModified.toUTCString(),
    "Cache-Control",
    `public, max-age=${card.maxAge}`,
    "Vary",
    "A2A-Version",
  ];
}

/** Whether the caller's copy is the current one; entity tags count before dates (RFC 9110, 13.2.2). */
function isFresh(req: IncomingMessage, card: ServedCard): boolean {
  const tags = req.headers["if-none-match"];
  if (tags !== undefined) return hasTag(tags, card.etag);
  const since = Date.parse(req.headers["if-modified-since"] ?? "");
  return Math.floor(card.lastModified.getTime() / 1000) * 1000 <= since;
}

/** Compares weakly; a tag may hold commas. */
function hasTag(list: string, etag: string): boolean {
  if (list.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return list.match(/"[^"]*"/g)?.some((tag) => tag === opaque) ?? false;
}
