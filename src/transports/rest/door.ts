/** The HTTP+JSON binding: one route per operation; it also answers every path that nobody knows. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import { A2AError } from "../../protocol/errors.ts";
import { textOf } from "../../protocol/ready-made.ts";
import type { Dialect, RestFailure } from "../../wire/dialect.ts";
import { checkVersion, isNamed, spokenVersion } from "../../wire/version.ts";
import { decodedOf, pathOf, queryOf } from "../http/address.ts";
import { jsonBodyOf } from "../http/body.ts";
import { callOf, versionOf } from "../http/call.ts";
import { checkPage, preflight } from "../http/cors.ts";
import {
  countRequest,
  errorHeaders,
  principalOf,
  sendJson,
  spokenBy,
  type DoorOptions,
} from "../http/door.ts";
import { sendEvents, type EventFrame } from "../http/sse.ts";
import { agentAt, errorOf, requestIdOf } from "../request.ts";
import { routesOf, type Found, type Routes } from "./routes.ts";

interface Settings extends DoorOptions {
  readonly routes: Routes;
  /** Newest first. */
  readonly spoken: readonly [Dialect, ...Dialect[]];
}

export function restDoor(options: DoorOptions): Middleware {
  const { dialects, directory } = options;
  const routes = routesOf(dialects, (id) => directory.has(id));
  const settings: Settings = { ...options, routes, spoken: spokenBy(dialects) };
  return async ({ req, res }) => {
    const path = pathOf(req.url ?? "/");
    if (req.method === "OPTIONS") return preflight(res, undefined, optionsAt(settings, path));
    const found =
      decodedOf(path) === undefined ? undefined : settings.routes.find(req.method ?? "GET", path);
    if (found === undefined) refuseUnrouted(settings, req, res, path);
    else await answer(settings, req, res, found);
  };
}

/** What an answer needs; an open stream keeps this and not the request, which is larger. */
interface Exchange {
  readonly settings: Settings;
  readonly res: ServerResponse;
  readonly dialect: Dialect;
  readonly requestId: string;
}

/** Whatever is thrown becomes the answer. Resolves early when the answer is a stream. */
async function answer(
  settings: Settings,
  req: IncomingMessage,
  res: ServerResponse,
  { target, agent: named, params }: Found,
): Promise<void> {
  const { bound, route, endpoint } = target;
  const { dialect } = bound;
  const requestId = requestIdOf(req.headers["x-request-id"], settings.newId);
  const exchange: Exchange = { settings, res, dialect, requestId };
  try {
    countRequest(settings, res);
    checkPage(req, res);
    if (req.method === "HEAD" && endpoint.kind === "stream")
      return refuse(exchange, notAllowed(req), allowOf(settings, pathOf(req.url ?? "/")));
    const { version } = dialect;
    const { operation } = route;
    const binding = "HTTP+JSON";
    const asked = {
      requestId,
      binding,
      agent: named ?? settings.agent,
      version,
      operation,
    } as const;
    const known = principalOf(settings, req, asked);
    const principal = known instanceof Promise ? await known : known;
    const text = queryOf(req.url ?? "/");
    const agent = agentAt(settings.agent, named);
    const offered = settings.directory.versionsOf(agent, "HTTP+JSON");
    if (!checkVersion({ header: versionOf(req, text), shape: dialect.version, offered }))
      settings.log.debug({ requestId, version: dialect.version }, "no version named");
    const body = route.method === "POST" ? await jsonBodyOf(req, settings.maxBodyBytes) : undefined;
    const query = text === "" ? NO_QUERY : new URLSearchParams(text);
    const wire = route.wireOf({ params, query, body });
    const { origins } = settings;
    const call = callOf(req, res, { agent, dialect, requestId, principal, binding, origins });
    if (endpoint.kind === "stream") {
      const items = endpoint.invoke(wire, call);
      sendEvents(res, items, frameOf(exchange), settings);
    } else {
      const text = textOf(await endpoint.invoke(wire, call));
      sendJson(res, 200, text);
    }
  } catch (thrown) {
    refuse(exchange, thrown);
  }
}

const NO_QUERY = new URLSearchParams();

function frameOf(exchange: Exchange): EventFrame {
  return {
    before: "",
    after: "",
    failureEvent: exchange.dialect.rest.failureEvent,
    failure: (thrown) => JSON.stringify(failureOf(exchange, thrown).failure.body),
    refuse: (thrown) => refuse(exchange, thrown),
  };
}

function refuse(exchange: Exchange, thrown: unknown, headers: readonly string[] = []): void {
  const { error, failure } = failureOf(exchange, thrown);
  const { status, body } = failure;
  sendJson(exchange.res, status, JSON.stringify(body), [...errorHeaders(error).flat(), ...headers]);
}

function failureOf(
  { settings, dialect, requestId }: Exchange,
  thrown: unknown,
): { readonly error: A2AError; readonly failure: RestFailure } {
  const error = errorOf(thrown, settings.log, { requestId });
  return { error, failure: dialect.rest.failure(error) };
}

/** A path that nothing is at is answered in the version whose paths begin so, in the one that the caller names, or in the newest. */
function refuseUnrouted(
  settings: Settings,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): void {
  const header = versionOf(req, queryOf(req.url ?? "/"));
  const [newest] = settings.spoken;
  const named = isNamed(header) ? spokenVersion(header, settings.spoken) : newest;
  const dialect = settings.routes.dialectOf(path) ?? named;
  const requestId = requestIdOf(req.headers["x-request-id"], settings.newId);
  const exchange = { settings, res, dialect, requestId };
  try {
    countRequest(settings, res);
  } catch (thrown) {
    return refuse(exchange, thrown);
  }
  if (decodedOf(path) === undefined) return refuse(exchange, badPath());
  if (settings.routes.allowed(path).length === 0) return refuse(exchange, noRoute(path));
  refuse(exchange, notAllowed(req), allowOf(settings, path));
}

function badPath(): A2AError {
  return new A2AError("INVALID_REQUEST", "the path is not percent-encoded correctly");
}

function noRoute(path: string): A2AError {
  return new A2AError("METHOD_NOT_FOUND", `nothing at ${path}`);
}

function notAllowed({ method, url }: IncomingMessage): A2AError {
  const text = `${method} is not allowed at ${pathOf(url ?? "/")}`;
  return new A2AError("METHOD_NOT_ALLOWED", text);
}

/** The methods of a path; of one that nothing is at, all that there are. */
function optionsAt({ routes }: Settings, path: string): string {
  const allowed = decodedOf(path) === undefined ? [] : routes.allowed(path);
  return [...(allowed.length > 0 ? allowed : METHODS), "OPTIONS"].join(", ");
}

const METHODS = ["GET", "POST", "DELETE"];

function allowOf(settings: Settings, path: string): readonly string[] {
  return ["Allow", settings.routes.allowed(path).join(", ")];
}
