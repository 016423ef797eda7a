/** The paths of every version: below an agent, at the root for the primary agent, and below a tenant. */
import { Router, type RouterContext } from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import type { Route } from "../../wire/dialect.ts";
import type { BoundDialect } from "../../wire/endpoint.ts";

export interface RouteTarget {
  readonly bound: BoundDialect;
  readonly route: Route;
}

export type RouteHandler = (ctx: RouterContext, target: RouteTarget) => Promise<void>;

/** The handler runs with `params.agent` set where the path names an agent; `next` runs where no route fits. */
export function routesOf(dialects: readonly BoundDialect[], handle: RouteHandler): Middleware {
  const targets = targetsOf(dialects);
  const [agent, root, tenant] = ["/a2a/:agent", "", "/:agent"].map((base) =>
    chainOf(base, targets, handle),
  ) as [Chain, Chain, Chain];
  return (ctx, next) => {
    if (ctx.path.startsWith("/a2a/")) return agent(ctx, next);
    // The root comes first: `/v1/tasks/x` is a path of version 0.3 before it is one of a tenant "v1".
    return root(ctx, () => tenant(ctx, next));
  };
}

/** The methods that the routes of the request's path take, after `next` was called. */
export function allowedOf(ctx: Context | RouterContext): readonly string[] {
  const matched = (ctx.matched as RouterContext["matched"]) ?? [];
  return [...new Set(matched.flatMap((layer) => layer.methods))];
}

/** Fixed text wins over parameters, `/tasks/:id\:subscribe` over `/tasks/:id`, however a dialect lists them. */
function targetsOf(dialects: readonly BoundDialect[]): readonly RouteTarget[] {
  return dialects
    .flatMap((bound) => bound.dialect.rest.routes.map((route) => ({ bound, route })))
    .sort((a, b) => fixedLength(b.route.path) - fixedLength(a.route.path));
}

function fixedLength(path: string): number {
  return path.replace(/\/:\w+/g, "/").length;
}

type Chain = (ctx: Context, next: Next) => Promise<void>;

function chainOf(base: string, targets: readonly RouteTarget[], handle: RouteHandler): Chain {
  const router = new Router();
  for (const target of targets)
    router.register(base + target.route.path, [target.route.method], (ctx) => handle(ctx, target));
  return router.routes() as unknown as Chain;
}
