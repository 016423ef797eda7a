/** Cross-origin access for browser clients. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { A2AError } from "../../protocol/errors.ts";
import { SAFE_PAIRS } from "../safe-headers.ts";

const REQUEST_HEADERS =
  "A2A-Version, A2A-Extensions, X-A2A-Extensions, Authorization, Content-Type, Accept, Last-Event-ID, X-API-Key, X-Request-Id";
const ALLOW_HEADERS = "Access-Control-Allow-Headers";
const RESPONSE_HEADERS =
  "A2A-Version, A2A-Extensions, X-A2A-Extensions, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy";

/**
 * Marks the answers to allowed origins, errors and streams included; the doors answer preflights. A listed origin may send
 * credentials, `*` stands for every origin without them, and an empty list lets no browser in.
 *
 * @param keyHeaders names of headers that callers are known by, beside those that everybody may send
 */
export function cors(
  allowedOrigins: readonly string[],
  keyHeaders: readonly string[] = [],
): Middleware {
  const listed = new Set(allowedOrigins);
  const requestHeaders = [REQUEST_HEADERS, ...keyHeaders].join(", ");
  return (ctx, next) => {
    const { req, res } = ctx;
    const { origin } = req.headers;
    if (origin !== undefined && listed.size > 0) mark(res, origin, listed);
    if (req.method === "OPTIONS") res.setHeader(ALLOW_HEADERS, requestHeaders);
    return next();
  };
}

function mark(res: ServerResponse, origin: string, listed: ReadonlySet<string>): void {
  res.setHeader("Vary", "Origin");
  if (listed.has(origin)) {
    res.setHeader("Access-Control-Allow-Origin", origin);
    res.setHeader("Access-Control-Allow-Credentials", "true");
  } else if (listed.has("*")) res.setHeader("Access-Control-Allow-Origin", "*");
  else return;
  res.setHeader("Access-Control-Expose-Headers", RESPONSE_HEADERS);
}

/**
 * Throws FORBIDDEN for what a browser sends on behalf of a page of another site without asking first, the caller's cookies
 * and certificate with it: a POST without a content type. The page does not see the answer, but the agent would have been
 * told. Everything else that changes something a browser asks for first (Fetch, 4.8), and `preflight` tells it no.
 */
export function checkPage({ method, headers }: IncomingMessage, res: ServerResponse): void {
  const { origin, "content-type": type } = headers;
  if (origin === undefined || method !== "POST" || type !== undefined) return;
  if (!isForeign(headers, origin) || res.hasHeader("Access-Control-Allow-Origin")) return;
  const text = `pages of ${JSON.stringify(origin)} may not call agents`;
  throw new A2AError("FORBIDDEN", text);
}

/** Browsers tell it wherever the address is a safe one; a proxy may have changed the host. */
function isForeign({ "sec-fetch-site": site, host }: IncomingHttpHeaders, origin: string): boolean {
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin.replace(/^https?:\/\//i, "").toLowerCase() !== host?.toLowerCase();
}

/** Answers OPTIONS; what it allows has an effect only where an origin is allowed too. */
export function preflight(res: ServerResponse, origin: string | undefined, methods: string): void {
  if (origin !== undefined) res.setHeader("Access-Control-Allow-Origin", origin);
  res.setHeader("Access-Control-Allow-Methods", methods);
  if (!res.hasHeader(ALLOW_HEADERS)) res.setHeader(ALLOW_HEADERS, REQUEST_HEADERS);
  res.setHeader("Access-Control-Max-Age", "7200");
  res.setHeader("Allow", methods);
  for (const [name, value] of SAFE_PAIRS) res.setHeader(name, value);
  res.writeHead(204).end();
}
