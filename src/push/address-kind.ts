/** What an IP address is for. */
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The prefix 64:ff9b::/96, behind which a NAT64 gateway reaches the whole of IPv4 (RFC 6052, 2.1). */
const NAT64 = ipaddr.IPv6.parse("64:ff9b::");
/** Where all addresses are that can be reached from anywhere (RFC 4291, 2.4). */
const GLOBAL = ipaddr.IPv6.parse("2000::");

/** The names of ipaddr.js in words; whatever else is not public is reserved for something. */
const WORDS: Readonly<Record<string, string>> = {
  unspecified: "an unspecified",
  broadcast: "a broadcast",
  multicast: "a multicast",
  linkLocal: "a link-local",
  loopback: "a loopback",
  carrierGradeNat: "a shared",
  private: "a private",
  uniqueLocal: "a private",
};

/**
 * The address that a connection to this one ends at: IPv4 that is written as IPv6, or reached through NAT64, as IPv4.
 * Undefined for a text that is no address.
 */
export function addressOf(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** What the address is when it is none of the public internet, such as `a loopback address`; else undefined. */
export function specialKindOf(address: Address): string | undefined {
  const range = address.range();
  const isPublic =
    range === "unicast" && (address instanceof ipaddr.IPv4 || address.match(GLOBAL, 3));
  return isPublic ? undefined : `${WORDS[range] ?? "a reserved"} address`;
}

/** One text for all addresses that one machine is likely to have: a network of IPv6 is one (RFC 4291, 2.5.4). */
export function machineAt(address: Address): string {
  return address instanceof ipaddr.IPv4
    ? address.toString()
    : address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":");
}
