/** The Admin API as a listener of requests: access, routes, and one answer to whatever is thrown. */
import type { RequestListener } from "node:http";
import { Router, type RouterMiddleware } from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import type { Asker, Audit } from "../../core/ports/audit.ts";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import { checkOf } from "./access.ts";
import { SAFE_PAIRS } from "../../transports/safe-headers.ts";
import { OPERATOR, tell } from "./audit.ts";
import { AdminError, failureOf } from "./failure.ts";
import type { AdminPorts } from "./ports.ts";
import { jsonBodyOf } from "./request-body.ts";
import type { Answer, Route } from "./route.ts";
import { adminRoutes } from "./routes.ts";

/** Answers what is at `/admin` and below. */
export function createAdmin(ports: AdminPorts, log: Log): RequestListener {
  const { audit } = ports;
  const router = routerOf(adminRoutes(ports), { audit, log });
  const app = new Koa();
  app.use(answerFailures(log));
  app.use(guard(checkOf(ports.access), { audit, router }));
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
    ctx.set(Object.fromEntries(SAFE_PAIRS));
    try {
      await next();
    } catch (thrown) {
      const { status, headers, body } = failureOf(thrown, log, { path: ctx.path });
      ctx.set({ ...headers });
      send(ctx, status, JSON.stringify(body));
    }
  };
}

interface Guarded {
  readonly audit: Audit | undefined;
  readonly router: Router;
}

function guard(check: ReturnType<typeof checkOf>, { audit, router }: Guarded): Middleware {
  return async (ctx, next) => {
    const caller = await check(ctx.req).catch((thrown: unknown) => {
      const operation = router.match(ctx.path, ctx.method).pathAndMethod[0]?.name;
      tell(audit, ctx, { operation, by: undefined, subject: {}, thrown });
      throw thrown;
    });
    ctx.state["by"] = caller ?? OPERATOR;
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

interface Watching {
  readonly audit: Audit | undefined;
  readonly log: Log;
}

function routerOf(routes: readonly Route[], watching: Watching): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const answer = route.body === undefined ? show(route) : change(route, watching);
    router.register(path, methodsOf(route), answer, { name: route.operation });
  }
  return router;
}

function show(route: Route): RouterMiddleware {
  return async (ctx) => {
    const answer = await route.run({
      segments: ctx.params,
      query: ctx.querystring,
      body: undefined,
    });
    sendAnswer(ctx, answer);
  };
}

function change(route: Route, { audit, log }: Watching): RouterMiddleware {
  return async (ctx) => {
    const { operation } = route;
    const { params: segments, querystring: query } = ctx;
    const by = ctx.state["by"] as Asker;
    let body: unknown;
    let answer: Answer<unknown>;
    try {
      audit?.check();
      body = await jsonBodyOf(ctx.req);
      answer = await route.run({ segments, query, body });
    } catch (thrown) {
      const subject = route.about({ segments, body, answer: undefined });
      tell(audit, ctx, { operation, by, subject, thrown });
      throw thrown;
    }
    const subject = route.about({ segments, body, answer: answer.body });
    tell(audit, ctx, { operation, by, subject });
    const caller = by.method === "operator" ? {} : { caller: { id: by.id, tenant: by.tenant } };
    log.info({ operation, ...caller, ...segments }, "admin change");
    sendAnswer(ctx, answer);
  };
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

function sendAnswer(ctx: Parameters<RouterMiddleware>[0], { status, body }: Answer<unknown>): void {
  send(ctx, status, body === undefined ? null : JSON.stringify(body));
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
