/** Hosts and networks that are open although the rules would close them. */
import ipaddr from "ipaddr.js";
import { addressOf, type Address } from "./address-kind.ts";

export interface AllowList {
  /** A name in the form that URLs have it in, with or without the dot of the root. */
  hasName(name: string): boolean;
  hasAddress(address: Address): boolean;
}

/**
 * Entries are names (`hooks.example.com`), everything below a name (`*.example.com`), addresses and networks
 * (`10.1.0.0/16`). Throws for an entry that is none of these.
 */
export function openAllowList(entries: readonly string[]): AllowList {
  const names = new Set<string>();
  const suffixes: string[] = [];
  const networks: [Address, number][] = [];
  for (const entry of entries) {
    const network = networkOf(entry);
    if (network !== undefined) networks.push(network);
    else if (entry.startsWith("*.")) suffixes.push(`.${nameOf(entry.slice(2), entry)}`);
    else names.add(nameOf(entry, entry));
  }
  return {
    hasName(name) {
      const plain = withoutRoot(name.toLowerCase());
      return names.has(plain) || suffixes.some((suffix) => plain.endsWith(suffix));
    },
    hasAddress: (address) => networks.some((network) => isIn(address, network)),
  };
}

/** The name as it is written without the dot that stands for the root of all names. */
export function withoutRoot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

function networkOf(entry: string): [Address, number] | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const address = addressOf(entry.replace(/^\[(.*)\]$/, "$1"));
  return address && [address, address.kind() === "ipv4" ? 32 : 128];
}

/** In the form that URLs have it in: lower case, and other scripts in ASCII. */
function nameOf(text: string, entry: string): string {
  const url = `http://${text}/`;
  const isName = /^[^\s/:?#@*\\[\]]+$/.test(text) && URL.canParse(url);
  if (!isName)
    throw new Error(
      `expected a host, *.host, an address or a network such as 10.1.0.0/16, got ${JSON.stringify(entry)}`,
    );
  return withoutRoot(new URL(url).hostname);
}

function isIn(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
