/** The Admin API as a listener of requests: access, routes, and one answer to whatever is thrown. */
import type { RequestListener } from "node:http";
import { Router } from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import { checkOf } from "./access.ts";
import { AdminError, failureOf } from "./failure.ts";
import type { AdminPorts } from "./ports.ts";
import { jsonBodyOf } from "./request-body.ts";
import type { Route } from "./route.ts";
import { adminRoutes } from "./routes.ts";

/** Answers what is at `/admin` and below. */
export function createAdmin(ports: AdminPorts, log: Log): RequestListener {
  const router = routerOf(adminRoutes(ports), log);
  const app = new Koa();
  app.use(answerFailures(log));
  app.use(guard(checkOf(ports.access)));
  app.use(router.routes());
  app.use(refuseRest(router));
  // What the routes throw is answered above: this is of connections that end early.
  app.on("error", (thrown: unknown) => log.debug({ err: thrown }, "admin connection failed"));
  const listener = app.callback();
  return (request, response) => void listener(request, response);
}

function answerFailures(log: Log): Middleware {
  return async (ctx, next) => {
    ctx.set("cache-control", "no-store");
    ctx.set("x-content-type-options", "nosniff");
    try {
      await next();
    } catch (thrown) {
      const { status, headers, body } = failureOf(thrown, log, { path: ctx.path });
      ctx.set({ ...headers });
      send(ctx, status, JSON.stringify(body));
    }
  };
}

function guard(check: ReturnType<typeof checkOf>): Middleware {
  return async (ctx, next) => {
    const caller = await check(ctx.req);
    if (caller !== undefined) ctx.state["caller"] = { id: caller.id, tenant: caller.tenant };
    checkEncoding(ctx.path, "path");
    checkEncoding(ctx.querystring, "query");
    await next();
  };
}

function checkEncoding(text: string, what: string): void {
  try {
    decodeURIComponent(text);
  } catch {
    throw new A2AError("INVALID_REQUEST", `the ${what} is not percent-encoded correctly`);
  }
}

function routerOf(routes: readonly Route[], log: Log): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const route of routes)
    router.register(route.path.replaceAll(/\{(\w+)\}/g, ":$1"), methodsOf(route), async (ctx) => {
      const segments = ctx.params;
      const body = route.body && (await jsonBodyOf(ctx.req));
      const answer = await route.run({ segments, query: ctx.querystring, body });
      if (route.body) {
        const fields = { operation: route.operation, ...ctx.state, ...segments };
        log.info(fields, "admin change");
      }
      send(ctx, answer.status, answer.body === undefined ? null : JSON.stringify(answer.body));
    });
  return router;
}

function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["HEAD", "GET"] : [method];
}

/** A path of another method, or none of ours. */
function refuseRest(router: Router): Middleware {
  return (ctx) => {
    const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
    const allow = [...new Set(methods)].join(", ");
    if (allow === "") throw new AdminError("NOT_FOUND", `nothing at ${ctx.path}`);
    const message = `${ctx.method} is not allowed at ${ctx.path}`;
    throw new A2AError("METHOD_NOT_ALLOWED", message, { metadata: { allow } });
  };
}

/** The body is written here as text, so that nothing can fail after this. */
function send(
  ctx: Pick<Context, "status" | "set" | "body">,
  status: number,
  body: string | null,
): void {
  ctx.status = status;
  if (body !== null) ctx.set("content-type", "application/json");
  ctx.body = body;
}
