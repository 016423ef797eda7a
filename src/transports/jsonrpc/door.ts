/** The JSON-RPC binding: one path per agent, the method in the body. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import type { Asked } from "../../protocol/asked.ts";
import { A2AError, ERRORS, type ErrorReason } from "../../protocol/errors.ts";
import { textOf } from "../../protocol/ready-made.ts";
import type { OperationName } from "../../protocol/service.ts";
import type { Dialect } from "../../wire/dialect.ts";
import type { BoundDialect, Endpoint } from "../../wire/endpoint.ts";
import { checkVersion, spokenVersion } from "../../wire/version.ts";
import { decodedOf, pathOf, queryOf } from "../http/address.ts";
import { bodyTextOf, jsonOf } from "../http/body.ts";
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
import { sendEvents, sendFailure, type EventFrame } from "../http/sse.ts";
import { agentAt, errorOf, requestIdOf } from "../request.ts";
import { envelopeOf, idOf } from "./envelope.ts";

interface Method {
  readonly bound: BoundDialect;
  readonly operation: OperationName;
  readonly endpoint: Endpoint;
}

interface Settings extends DoorOptions {
  readonly methods: ReadonlyMap<string, Method>;
  /** Newest first. */
  readonly spoken: readonly [Dialect, ...Dialect[]];
}

const METHODS = "POST, OPTIONS";
const AGENT_PATH = /^\/a2a\/([^/]+)\/?$/;

export function jsonrpcDoor(options: DoorOptions): Middleware {
  const settings: Settings = {
    ...options,
    methods: methodsOf(options.dialects),
    spoken: spokenBy(options.dialects),
  };
  return (ctx, next) => {
    const path = pathOf(ctx.req.url ?? "/");
    let agent: string | undefined;
    if (path !== "/") {
      const match = AGENT_PATH.exec(path);
      if (match === null) return next();
      agent = decodedOf(match[1] ?? "") ?? match[1];
    }
    if (ctx.req.method === "OPTIONS") {
      preflight(ctx.res, undefined, METHODS);
      return Promise.resolve();
    }
    return answer(settings, ctx.req, ctx.res, agent);
  };
}

/** No two versions may share a method name: the name alone decides the version. */
function methodsOf(dialects: readonly BoundDialect[]): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const bound of dialects)
    for (const [name, operation] of bound.dialect.jsonrpc.methods) {
      const endpoint = bound.jsonrpc[operation];
      if (endpoint === undefined) throw new Error(`${name} has no codec`);
      if (methods.has(name)) throw new Error(`two versions have a method ${name}`);
      methods.set(name, { bound, operation, endpoint });
    }
  return methods;
}

/** Whatever is thrown becomes the answer. Resolves early when the answer is a stream. */
async function answer(
  settings: Settings,
  req: IncomingMessage,
  res: ServerResponse,
  named: string | undefined,
): Promise<void> {
  const header = versionOf(req, queryOf(req.url ?? "/"));
  const request: Request = {
    settings,
    res,
    requestId: requestIdOf(req.headers["x-request-id"], settings.newId),
    id: "null",
    streamsErrors: false,
    dialect: spokenVersion(header, settings.spoken),
  };
  try {
    countRequest(settings, res);
    if (req.method !== "POST")
      throw new A2AError("METHOD_NOT_ALLOWED", "JSON-RPC requests are sent with POST");
    checkPage(req, res);
    const known = principalOf(settings, req, askedOf(request, named));
    const principal = known instanceof Promise ? await known : known;
    const text = await bodyTextOf(req, settings.maxBodyBytes);
    const body = jsonOf(text);
    request.id = idOf(body, text);
    const { method, params } = envelopeOf(body);
    const found = settings.methods.get(method);
    if (found === undefined)
      throw new A2AError("METHOD_NOT_FOUND", `no method ${JSON.stringify(method)}`);
    const { dialect } = found.bound;
    request.dialect = dialect;
    request.streamsErrors = dialect.jsonrpc.streamsErrors.has(found.operation);
    const agent = agentAt(settings.agent, named);
    const offered = settings.directory.versionsOf(agent, "JSONRPC");
    const { requestId } = request;
    const { origins } = settings;
    if (!checkVersion({ header, shape: dialect.version, offered }))
      settings.log.debug({ requestId, version: dialect.version }, "no version named");
    const binding = "JSONRPC";
    const call = callOf(req, res, { agent, dialect, requestId, principal, binding, origins });
    if (found.endpoint.kind === "stream") {
      const items = found.endpoint.invoke(params, call);
      sendEvents(res, items, frameOf(request), settings);
    } else {
      const result = textOf(await found.endpoint.invoke(params, call));
      sendJson(res, 200, `{"jsonrpc":"2.0","id":${request.id},"result":${result}}`);
    }
  } catch (thrown) {
    refuse(request, thrown);
  }
}

/** The body, which tells the rest, is not read for everybody. */
function askedOf({ requestId, settings }: Request, named: string | undefined): Asked {
  const agent = named ?? settings.agent;
  return { requestId, binding: "JSONRPC", agent, version: undefined, operation: undefined };
}

/** What is known of a request so far: how its answer is written. */
interface Request {
  readonly settings: Settings;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** JSON text. */
  id: string;
  /** That of the method; until it is known, the one in which errors are written. */
  dialect: Dialect;
  /** Whether an error is to be the only event of a stream. */
  streamsErrors: boolean;
}

function frameOf(request: Request): EventFrame {
  return {
    before: `{"jsonrpc":"2.0","id":${request.id},"result":`,
    after: "}",
    failure: (thrown) => failureOf(request, errorFor(request, thrown)),
    refuse: (thrown) => refuse(request, thrown),
  };
}

/** Errors are HTTP 200 but for these, which are not about the operation. */
const OWN_STATUS: ReadonlySet<ErrorReason> = new Set([
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "METHOD_NOT_ALLOWED",
]);

function refuse(request: Request, thrown: unknown): void {
  const error = errorFor(request, thrown);
  if (request.streamsErrors && !OWN_STATUS.has(error.reason))
    return sendFailure(request.res, failureOf(request, error), errorHeaders(error));
  const status = OWN_STATUS.has(error.reason) ? ERRORS[error.reason].http : 200;
  const headers = errorHeaders(error).flat();
  sendJson(
    request.res,
    status,
    failureOf(request, error),
    error.reason === "METHOD_NOT_ALLOWED" ? ["Allow", METHODS, ...headers] : headers,
  );
}

function errorFor({ settings, requestId }: Request, thrown: unknown): A2AError {
  return errorOf(thrown, settings.log, { requestId });
}

function failureOf(request: Request, error: A2AError): string {
  const failure = request.dialect.jsonrpc.failure(error);
  return `{"jsonrpc":"2.0","id":${request.id},"error":${JSON.stringify(failure)}}`;
}
