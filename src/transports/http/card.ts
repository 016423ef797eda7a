/** Agent cards, the keys that they are signed with, and OpenAPI documents, at their addresses, with conditional requests (spec 8.6). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { SAFE_HEADERS } from "../safe-headers.ts";
import { decodedOf, pathOf, queryOf } from "./address.ts";
import { versionOf } from "./call.ts";
import { sendJson } from "./door.ts";
import { isNamedIn, isRead, type Counted } from "./read-only.ts";

export interface ServedJson {
  readonly body: string;
  /** Quoted, as it stands in the header. */
  readonly etag: string;
  readonly lastModified: Date;
  /** Seconds. */
  readonly maxAge: number;
}

export interface CardRequest {
  /** The agent that the path names; undefined at the root. */
  readonly agent: string | undefined;
  /** The version that the caller names. */
  readonly version: string | undefined;
  /** Where the caller reached the gateway, if it may appear in a card. */
  readonly origin: string | undefined;
}

export interface CardSource {
  /** Undefined when there is no such agent. */
  card(request: CardRequest): ServedJson | undefined;
  /** The OpenAPI document of an agent's HTTP+JSON doors; undefined when there is no such agent. */
  openApi(request: Omit<CardRequest, "version">): ServedJson | undefined;
  /** The JSON Web Key Set; undefined when cards are not signed. */
  keySet(): ServedJson | undefined;
}

/** The current name of the card, the one of before 0.3, the keys, and the description of HTTP+JSON. */
const PATH =
  /^(?:\/a2a\/([^/]+))?\/(\.well-known\/agent|\.well-known\/agent-card|\.well-known\/jwks|openapi)\.json\/?$/;

export function cardRoutes(source: CardSource, { origins, countRequest }: Counted): Middleware {
  const read = { counting: { origins, countRequest }, notAllowed: NOT_ALLOWED };
  const vary = ["Vary", ["A2A-Version", ...origins.headers].join(", ")];
  const varyByOrigin = origins.headers.length > 0 ? ["Vary", origins.headers.join(", ")] : [];
  return (ctx, next) => {
    const { req, res } = ctx;
    const url = req.url ?? "/";
    // Calls seldom have any of them: most go on without a look at their path.
    if (!url.includes("well-known") && !url.includes("openapi") && !url.includes("%"))
      return next();
    const match = PATH.exec(decodedOf(pathOf(url)) ?? "");
    if (match === null) return next();
    const [, agent, name] = match;
    if (!isRead(req, res, read)) return Promise.resolve();
    if (name === ".well-known/jwks") answer(req, res, source.keySet() ?? NO_KEYS, []);
    else if (name === "openapi") {
      const found = source.openApi({ agent, origin: origins.of(req) });
      answer(req, res, found ?? NO_CARD, varyByOrigin);
    } else {
      const version = versionOf(req, queryOf(url));
      const request = { agent, version, origin: origins.of(req) };
      answer(req, res, source.card(request) ?? NO_CARD, vary);
    }
    return Promise.resolve();
  };
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  found: ServedJson | string,
  vary: readonly string[],
): void {
  if (typeof found === "string") return sendJson(res, 404, found);
  const headers = [...headersOf(found), ...vary];
  if (isFresh(req, found)) res.writeHead(304, [...SAFE_HEADERS, ...headers]).end();
  else sendJson(res, 200, found.body, headers);
}

const NO_CARD = failure(404, "NOT_FOUND", "no such agent");
const NO_KEYS = failure(404, "NOT_FOUND", "cards are not signed");
const NOT_ALLOWED = failure(405, "UNIMPLEMENTED", "cards are read with GET or HEAD");

function failure(code: number, status: string, message: string): string {
  return JSON.stringify({ error: { code, status, message } });
}

function headersOf(card: ServedJson): readonly string[] {
  return [
    "ETag",
    card.etag,
    "Last-Modified",
    card.lastModified.toUTCString(),
    "Cache-Control",
    `public, max-age=${card.maxAge}`,
  ];
}

/** Whether the caller's copy is the current one; entity tags count before dates (RFC 9110, 13.2.2). */
function isFresh(req: IncomingMessage, card: ServedJson): boolean {
  const tags = req.headers["if-none-match"];
  if (tags !== undefined) return isNamedIn(tags, card.etag);
  const since = Date.parse(req.headers["if-modified-since"] ?? "");
  return Math.floor(card.lastModified.getTime() / 1000) * 1000 <= since;
}
