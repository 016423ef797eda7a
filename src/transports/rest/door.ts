/** The HTTP+JSON binding: one route per operation; it also answers every path that nobody knows. */
import type { ServerResponse } from "node:http";
import type { RouterContext } from "@koa/router";
import type { Context, Middleware } from "koa";
import { A2AError } from "../../protocol/errors.ts";
import { textOf } from "../../protocol/ready-made.ts";
import type { Dialect, RestFailure } from "../../wire/dialect.ts";
import { checkVersion } from "../../wire/endpoint.ts";
import { decodedOf, queryOf } from "../http/address.ts";
import { jsonBodyOf } from "../http/body.ts";
import { callOf, versionOf } from "../http/call.ts";
import { errorHeaders, sendJson, type DoorOptions } from "../http/door.ts";
import { sendEvents, type EventFrame } from "../http/sse.ts";
import { errorOf, requestIdOf } from "../request.ts";
import { allowedOf, routesOf, type RouteTarget } from "./routes.ts";

interface Settings extends DoorOptions {
  readonly versions: readonly string[];
}

export function restDoor(options: DoorOptions): Middleware {
  const settings: Settings = {
    ...options,
    versions: options.dialects.map(({ dialect }) => dialect.version),
  };
  const routes = routesOf(settings.dialects, (ctx, target) => answer(settings, ctx, target));
  return async (ctx) => {
    if (decodedOf(ctx.path) === undefined) refuseUnrouted(settings, ctx, badPath());
    else await routes(ctx, () => Promise.resolve(refuseUnrouted(settings, ctx, noRoute(ctx))));
  };
}

/** What an answer needs; an open stream keeps this and not the context, which is larger. */
interface Exchange {
  readonly settings: Settings;
  readonly res: ServerResponse;
  readonly dialect: Dialect;
  readonly requestId: string;
}

/** Whatever is thrown becomes the answer. Resolves early when the answer is a stream. */
async function answer(settings: Settings, ctx: RouterContext, target: RouteTarget): Promise<void> {
  const { req, res } = ctx;
  const { bound, route } = target;
  const { dialect } = bound;
  const endpoint = bound.rest[route.operation];
  const requestId = requestIdOf(req.headers["x-request-id"], settings.newId);
  const exchange: Exchange = { settings, res, dialect, requestId };
  try {
    if (req.method === "HEAD" && endpoint.kind === "stream")
      return refuse(exchange, notAllowed(ctx), allowOf(ctx));
    const query = queryOf(req.url ?? "/");
    checkVersion(versionOf(req, query), dialect.version, settings.versions);
    const { agent, ...params } = ctx.params;
    const wire = route.wireOf({
      params,
      query: new URLSearchParams(query),
      body: route.method === "POST" ? await jsonBodyOf(req, settings.maxBodyBytes) : undefined,
    });
    const call = callOf(req, res, { agent, version: dialect.version, requestId });
    if (endpoint.kind === "stream") {
      const items = endpoint.invoke(wire, call);
      sendEvents(res, items, frameOf(exchange), settings);
    } else sendJson(res, 200, textOf(await endpoint.invoke(wire, call)));
  } catch (thrown) {
    refuse(exchange, thrown);
  }
}

function frameOf(exchange: Exchange): EventFrame {
  return {
    before: "",
    after: "",
    failure: (thrown) => JSON.stringify(failureOf(exchange, thrown).failure.body),
    refuse: (thrown) => refuse(exchange, thrown),
  };
}

function refuse(exchange: Exchange, thrown: unknown, headers: readonly string[] = []): void {
  const { error, failure } = failureOf(exchange, thrown);
  const { status, body } = failure;
  sendJson(exchange.res, status, JSON.stringify(body), [...errorHeaders(error), ...headers]);
}

function failureOf(
  { settings, dialect, requestId }: Exchange,
  thrown: unknown,
): { readonly error: A2AError; readonly failure: RestFailure } {
  const error = errorOf(thrown, settings.log, { requestId });
  return { error, failure: dialect.rest.failure(error) };
}

/** Paths that belong to no version are answered in the newest one. */
function refuseUnrouted(settings: Settings, ctx: Context, error: A2AError): void {
  const { res, req } = ctx;
  const { dialect } = settings.dialects[0];
  const exchange = {
    settings,
    res,
    dialect,
    requestId: requestIdOf(req.headers["x-request-id"], settings.newId),
  };
  if (allowedOf(ctx).length > 0) refuse(exchange, notAllowed(ctx), allowOf(ctx));
  else refuse(exchange, error);
}

function badPath(): A2AError {
  return new A2AError("INVALID_REQUEST", "the path is not percent-encoded correctly");
}

function noRoute(ctx: Context): A2AError {
  return new A2AError("METHOD_NOT_FOUND", `nothing at ${ctx.path}`);
}

function notAllowed(ctx: Context | RouterContext): A2AError {
  return new A2AError("METHOD_NOT_ALLOWED", `${ctx.method} is not allowed at ${ctx.path}`);
}

function allowOf(ctx: Context | RouterContext): readonly string[] {
  return ["Allow", allowedOf(ctx).join(", ")];
}
