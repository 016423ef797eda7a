/** What comes with an HTTP request beside its body. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { A2AError } from "../../protocol/errors.ts";
import type { Dialect } from "../../wire/dialect.ts";
import type { ProtocolBinding } from "../../protocol/agent-card.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Quota } from "../../protocol/quota.ts";
import type { Call } from "../../protocol/service.ts";
import { extensionsOf, generationOf, type HeaderValue } from "../request.ts";
import type { Origins } from "./origin.ts";
import { tellQuota } from "./quota.ts";

export interface CallOrigin {
  /** The agent that the path named. */
  readonly agent: string | undefined;
  /** The dialect that answers. */
  readonly dialect: Pick<Dialect, "version" | "extensionHeaders" | "cancelsOnce">;
  readonly requestId: string;
  readonly principal: Principal;
  readonly binding: ProtocolBinding;
  /** Where callers are, behind proxies too. */
  readonly origins: Pick<Origins, "addressOf">;
}

export function callOf(req: IncomingMessage, res: ServerResponse, origin: CallOrigin): Call {
  return new HttpCall(req, res, origin);
}

/**
 * A class for its getters: what most calls never ask for is made when it is asked for. A getter in an object literal
 * would give every call a hidden class of its own.
 */
class HttpCall implements Call {
  readonly agent: string | undefined;
  readonly principal: Principal;
  readonly binding: ProtocolBinding;
  readonly version: string;
  readonly cancelsOnce: boolean;
  readonly extensions: readonly string[];
  readonly resumeAfter: number | undefined;
  readonly requestId: string;
  readonly #headers: IncomingHttpHeaders;
  readonly #res: ServerResponse;
  readonly #origins: CallOrigin["origins"];
  readonly #extensionHeader: string;
  #signal: AbortSignal | undefined;

  constructor({ headers }: IncomingMessage, res: ServerResponse, origin: CallOrigin) {
    this.agent = origin.agent;
    this.version = origin.dialect.version;
    this.cancelsOnce = origin.dialect.cancelsOnce;
    this.extensions = extensionsOf(listed(headers, origin.dialect.extensionHeaders));
    this.resumeAfter = generationOf(headers["last-event-id"]);
    this.requestId = origin.requestId;
    this.principal = origin.principal;
    this.binding = origin.binding;
    this.#origins = origin.origins;
    this.#headers = headers;
    this.#res = res;
    this.#extensionHeader = origin.dialect.extensionHeaders[0];
  }

  activate(extensions: readonly string[]): void {
    if (!this.#res.headersSent) this.#res.setHeader(this.#extensionHeader, extensions.join(", "));
  }

  tell(quota: Quota): void {
    tellQuota(this.#res, quota);
  }

  get signal(): AbortSignal {
    return (this.#signal ??= departureOf(this.#res));
  }

  get address(): string {
    return this.#origins.addressOf(this.#res.req);
  }

  get headers(): Readonly<Record<string, string>> {
    return plainHeaders(this.#headers);
  }
}

/** The version that the caller names, in the header or, failing that, in the query; undefined when in neither. */
export function versionOf(req: IncomingMessage, query: string): string | undefined {
  const header = textOf(req.headers["a2a-version"]);
  if (header !== undefined) return header;
  if (query === "") return undefined;
  for (const [name, value] of new URLSearchParams(query))
    if (name.toLowerCase() === "a2a-version") return value;
  return undefined;
}

/** What the headers of these names hold together; undefined when there is none of them. */
function listed(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  let list: string | undefined;
  for (const name of names) {
    const value = textOf(headers[name]);
    if (value !== undefined) list = list === undefined ? value : `${list},${value}`;
  }
  return list;
}

/** A signal that is aborted when the connection closes before the answer was written. */
function departureOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const leave = (): void => {
    if (!res.writableFinished) controller.abort(new A2AError("CANCELLED", "the caller went away"));
  };
  if (res.closed) leave();
  else res.on("close", leave);
  return controller.signal;
}

/** Of all headers only set-cookie comes as a list, and no request has a use for it. */
export function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  if (headers["set-cookie"] === undefined) return headers as Record<string, string>;
  const { "set-cookie": _, ...others } = headers;
  return others as Record<string, string>;
}

/** Node has joined most repeated headers already. */
function textOf(header: HeaderValue): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}
