/** Where callers say that they reached the gateway, as far as the configuration lets them have a say. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

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
  const proxies = blockListOf(trustedProxies);
  const dependsOnProxies = allowed.size > 0 && trustedProxies.length > 0;
  return {
    of(req) {
      if (allowed.size === 0) return undefined;
      const { remoteAddress } = req.socket;
      const isProxy = remoteAddress !== undefined && holds(proxies, remoteAddress);
      const { host, scheme } = { ...seenBy(req), ...(isProxy && forwardedIn(req)) };
      const named = `${scheme.toLowerCase()}://${host}`;
      if (!HOST.test(host) || !URL.canParse(named)) return undefined;
      const { origin } = new URL(named);
      return allowed.has(origin) ? origin : undefined;
    },
    addressOf(req) {
      const { remoteAddress = "" } = req.socket;
      if (trustedProxies.length === 0 || !holds(proxies, remoteAddress)) return remoteAddress;
      return clientBefore(req, proxies) ?? remoteAddress;
    },
    headers: dependsOnProxies ? ["Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto"] : [],
  };
}

interface Named {
  readonly host: string;
  readonly scheme: string;
}

/** A name or an address with an optional port, so that nothing of it can be taken for a user or a path. */
const HOST = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/;

/**
 * The last address in `X-Forwarded-For` that is no trusted proxy's: what stands before it was written by whoever that
 * proxy does not vouch for. `Forwarded` (RFC 7239) says the same with `for=`, and goes first.
 */
function clientBefore({ headers }: IncomingMessage, proxies: BlockList): string | undefined {
  const forwarded = headers.forwarded;
  const listed =
    forwarded === undefined
      ? String(headers["x-forwarded-for"] ?? "").split(",")
      : [...forwarded.matchAll(/(?:^|[;,])\s*for=("[^"]*"|[^;,]*)/gi)].map(
          ([, value = ""]) => value,
        );
  const addresses = listed.map(addressIn);
  const client = addresses.findLast((each) => each === undefined || !holds(proxies, each));
  return client;
}

/** `192.0.2.1`, `192.0.2.1:443`, `"[2001:db8::1]:443"`; undefined for what is no address. */
function addressIn(text: string): string | undefined {
  const bare = text.trim().replace(/^"|"$/g, "");
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+)(?::\d+)?)$/.exec(bare) ?? [];
  const address = v6 ?? v4 ?? bare;
  return isIP(address) === 0 ? undefined : address;
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

/** A parameter with what follows it; a value without quotes may be more than the token that it has to be. */
const PARAMETER = /\s*(?:([^\s=;,"]+)=(?:"((?:[^"\\]+|\\.)*)"|([^\s;,"]*))\s*)?(;|,|$)/y;

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

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** A listener on `::` sees IPv4 peers as `::ffff:10.0.0.1`. */
function holds(list: BlockList, peer: string): boolean {
  const address = peer.replace(/^::ffff:(?=\d+\.)/i, "");
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
