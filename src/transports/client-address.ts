/** Where callers are: at the other end of the connection, or where the proxies say that the configuration trusts. */
import { BlockList, isIP } from "node:net";

/** What proxies write of whom they speak for: headers, or gRPC metadata. Several of a name are joined by commas. */
export interface Forwarding {
  readonly forwarded: string | undefined;
  readonly xForwardedFor: string | undefined;
}

export interface ClientAddresses {
  /** Whether an address is that of a proxy whose word counts. */
  isProxy(peer: string): boolean;
  /** The IP address of whoever sent a request that came from `peer`; `forwardingOf` is asked for trusted proxies only. */
  of(peer: string, forwardingOf: () => Forwarding): string;
}

/** @param trustedProxies addresses and networks */
export function clientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  if (trustedProxies.length === 0) return { isProxy: () => false, of: (peer) => peer };
  const proxies = blockListOf(trustedProxies);
  return {
    isProxy: (peer) => holds(proxies, peer),
    of(peer, forwardingOf) {
      if (!holds(proxies, peer)) return peer;
      return clientBefore(forwardingOf(), proxies) ?? peer;
    },
  };
}

/**
 * The last address in `X-Forwarded-For` that is no trusted proxy's: what stands before it was written by whoever that
 * proxy does not vouch for. `Forwarded` (RFC 7239) says the same with `for=`, and goes first.
 */
function clientBefore(
  { forwarded, xForwardedFor = "" }: Forwarding,
  proxies: BlockList,
): string | undefined {
  const listed =
    forwarded === undefined
      ? xForwardedFor.split(",")
      : [...forwarded.matchAll(/(?:^|[;,])\s*for=("[^"]*"|[^;,]*)/gi)].map(
          ([, value = ""]) => value,
        );
  const addresses = listed.map(addressIn);
  return addresses.findLast((each) => each === undefined || !holds(proxies, each));
}

/** `192.0.2.1`, `192.0.2.1:443`, `"[2001:db8::1]:443"`; undefined for what is no address. */
function addressIn(text: string): string | undefined {
  const bare = text.trim().replace(/^"|"$/g, "");
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+)(?::\d+)?)$/.exec(bare) ?? [];
  const address = v6 ?? v4 ?? bare;
  return isIP(address) === 0 ? undefined : address;
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
