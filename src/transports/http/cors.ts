/** Cross-origin access for browser clients. */
import type { ServerResponse } from "node:http";
import type { Middleware } from "koa";
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
