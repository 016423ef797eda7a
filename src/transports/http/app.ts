/** The HTTP side: cards, their catalogue, cross-origin access, then the doors in order; the last answers what is left. */
import type { RequestListener } from "node:http";
import Koa, { type Context, type Middleware } from "koa";
import type { CountRequest } from "../../protocol/quota.ts";
import type { DoorLog } from "../request.ts";
import { normalized, pathOf } from "./address.ts";
import { cardRoutes, type CardSource } from "./card.ts";
import { catalogueRoute, type CatalogueSource } from "./catalogue.ts";
import { cors } from "./cors.ts";
import { sendJson } from "./door.ts";
import type { Origins } from "./origin.ts";

export interface HttpOptions {
  readonly cards: CardSource;
  readonly catalogue: CatalogueSource;
  readonly origins: Origins;
  /** Counts what reads cards and the catalogue; the doors count their own. Undefined where nobody counts. */
  readonly countRequest: CountRequest | undefined;
  readonly doors: readonly Middleware[];
  /** Origins whose pages may call the doors: exact origins, or `*` for all without credentials. */
  readonly allowedOrigins: readonly string[];
  /** Names of headers that callers are known by, which those pages may send. */
  readonly keyHeaders?: readonly string[];
  /** The value of `Strict-Transport-Security` (RFC 6797); undefined: the header is not sent. */
  readonly hsts?: string | undefined;
  readonly log: DoorLog;
}

export function createHttp(options: HttpOptions): RequestListener {
  const app = new Koa();
  const { hsts } = options;
  const chain = [
    cardRoutes(options.cards, options),
    catalogueRoute(options.catalogue, options),
    cors(options.allowedOrigins, options.keyHeaders),
    ...options.doors,
  ];
  return (req, res) => {
    const url = req.url ?? "/";
    if (!url.startsWith("/") || url.includes("//")) req.url = normalized(url);
    if (hsts !== undefined) res.setHeader("Strict-Transport-Security", hsts);
    const ctx = app.createContext(req, res);
    void run(chain, ctx).catch((thrown: unknown) => answerFault(ctx, thrown, options.log));
  };
}

/**
 * What `app.callback()` does, less the watch that it keeps on every response: each of ours is ended by the door that
 * began it, and the watch would cost an idle stream 2 KB.
 */
async function run(chain: readonly Middleware[], ctx: Context, index = 0): Promise<void> {
  await chain[index]?.(ctx, () => run(chain, ctx, index + 1));
}

const FAULT = JSON.stringify({
  error: { code: 500, status: "INTERNAL", message: "internal error" },
});

/** The net under the doors, which answer their own errors. */
function answerFault({ req, res }: Context, thrown: unknown, log: DoorLog): void {
  log.error({ err: thrown, path: pathOf(req.url ?? "/") }, "request failed");
  sendJson(res, 500, FAULT);
}
