/** The network that guesses, and connections, are counted for. */
import { isIPv6 } from "node:net";

/**
 * An IPv4 address as it is, one that is mapped into IPv6 included; of an IPv6 address the first 64 bits, since whoever
 * has one has all that begin with them.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [bare = ""] = address.split("%");
  if (!isIPv6(bare)) return address;
  const [head = "", tail] = bare.toLowerCase().split("::");
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  // A dotted quad at the end stands for two groups.
  const written = first.length + last.length + (bare.includes(".") ? 1 : 0);
  const groups = [...first, ...Array<string>(8 - written).fill("0"), ...last];
  return `${groups.slice(0, 4).map(shortened).join(":")}::/64`;
}

function groupsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(":");
}

function shortened(group: string): string {
  return group.replace(/^0+(?=.)/, "");
}
