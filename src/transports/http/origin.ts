/** Where callers say that they reached the gateway, as far as the configuration lets them have a say. */
import type { IncomingMessage } from "node:http";
import { clientAddresses, type Forwarding } from "../client-address.ts";

export interface OriginSettings {
  /** Addresses and networks whose forwarding headers count. */
  readonly trustedProxies: readonly string[];
  /** `host` or `host:port`, in lower case. */
  readonly allowedHosts: readonly string[];
}

export interface Origins {
  /** The origin of a request when it is on the list; undefined for any other. */
  of(req: IncomingMessage): string | undefined;
  /** The IP address of whoever sent a request: what trusted proxies say of it, else the other end of the connection. */
  addressOf(req: IncomingMessage): string;
  /** The headers that the answer depends on, for `Vary`; the Host is part of what caches go by. */
  readonly headers: readonly string[];
}

const SCHEMES = ["http", "https"] as const;

export function originsOf({ trustedProxies, allowedHosts }: OriginSettings): Origins {
  const allowed = new Set(
    SCHEMES.flatMap((scheme) => allowedHosts.map((host) => new URL(`${scheme}://${host}`).origin)),
  );
  const clients = clientAddresses(trustedProxies);
  const dependsOnProxies = allowed.size > 0 && trustedProxies.length > 0;
  return {
    of(req) {
      if (allowed.size === 0) return undefined;
      const { remoteAddress } = req.socket;
      const isProxy = remoteAddress !== undefined && clients.isProxy(remoteAddress);
      const { host, scheme } = { ...seenBy(req), ...(isProxy && forwardedIn(req)) };
      const named = `${scheme.toLowerCase()}://${host}`;
      if (!HOST.test(host) || !URL.canParse(named)) return undefined;
      const { origin } = new URL(named);
      return allowed.has(origin) ? origin : undefined;
    },
    addressOf: (req) => clients.of(req.socket.remoteAddress ?? "", () => forwardingOf(req)),
    headers: dependsOnProxies ? ["Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto"] : [],
  };
}

interface Named {
  readonly host: string;
  readonly scheme: string;
}

/** A name or an address with an optional port, so that nothing of it can be taken for a user or a path. */
const HOST = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/;

/** Node has joined repeated headers with commas. */
function forwardingOf({ headers }: IncomingMessage): Forwarding {
  const listed = headers["x-forwarded-for"];
  return { forwarded: headers.forwarded, xForwardedFor: listed && String(listed) };
}

function seenBy({ headers, socket }: IncomingMessage): Named {
  return { host: headers.host ?? "", scheme: "encrypted" in socket ? "https" : "http" };
}

/**
 * What the proxy says of the request as it came to it; in a chain of proxies the first value is the outermost one's.
 * `Forwarded` (RFC 7239) goes before the headers that it replaces.
 */
function forwardedIn({ headers }: IncomingMessage): Partial<Named> {
  const first = firstElementOf(headers.forwarded ?? "");
  const host = first.get("host") ?? firstOf(headers["x-forwarded-host"]);
  const scheme = first.get("proto") ?? firstOf(headers["x-forwarded-proto"]);
  return { ...(host !== undefined && { host }), ...(scheme !== undefined && { scheme }) };
}

/**
 * A parameter with what follows it; a value without quotes may be more than the token that it has to be. Each repetition
 * takes one character in one way only: of a quote that never ends there are not two readings to be tried.
 */
const PARAMETER = /\s*(?:([^\s=;,"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))\s*)?(;|,|$)/y;

/** The parameters of the first element, by their names in lower case; none of an element that cannot be read. */
function firstElementOf(forwarded: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const pattern = new RegExp(PARAMETER);
  for (;;) {
    const found = pattern.exec(forwarded);
    if (found === null) return new Map();
    const [, name, quoted, plain = "", end] = found;
    const key = name?.toLowerCase();
    if (key !== undefined && !parameters.has(key))
      parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? plain);
    if (end !== ";") return parameters;
  }
}

/** Node has joined repeated headers with commas, but types them as if it had not. */
function firstOf(header: string | readonly string[] | undefined): string | undefined {
  const [first] = String(header ?? "").split(",");
  return first === undefined || first.trim() === "" ? undefined : first.trim();
}
