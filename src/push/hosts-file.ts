/** The names that the machine's administrator has written down. */
import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { withoutRoot } from "./allow-list.ts";

/**
 * The addresses that a hosts file has for a name in lower case, in the order of its lines (hosts(5)); none where there
 * is no such file, as on systems that keep it elsewhere.
 */
export async function hostsFileAddresses(
  name: string,
  file = "/etc/hosts",
): Promise<readonly LookupAddress[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const wanted = withoutRoot(name);
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    const isIts = family !== 0 && names.some((each) => each.toLowerCase() === wanted);
    return isIts ? [{ address, family }] : [];
  });
}
