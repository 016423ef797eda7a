/** Asks the name servers of the system, without the system: that takes none of the threads that it would. */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";

/** Milliseconds for the first question to a server; the second waits for about three times as long. */
const PATIENCE = { timeout: 1000, tries: 2 } as const;

/** The name has no address, as far as the name servers know; or there are none that could be asked. */
const UNKNOWN: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

/**
 * The addresses of a name, IPv4 first: a machine without a way to IPv6 loses no time. Rejects with an error that has a
 * code. Any number may be asked for at a time: each costs two packets and waits for nobody.
 *
 * @param servers in the place of those that the system has
 */
export async function dnsAddresses(
  name: string,
  servers?: readonly string[],
): Promise<readonly LookupAddress[]> {
  // Made anew it knows which servers the system has now, as those change with the network.
  const resolver = new Resolver(PATIENCE);
  if (servers !== undefined) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (found.length > 0) return found;
  const problems = [four, six].flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  throw problems.find((problem) => !isUnknownName(problem)) ?? problems[0];
}

/** Whether a failure says that name servers do not know the name, so that somebody else might. */
export function isUnknownName(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "string" &&
    UNKNOWN.has(thrown.code)
  );
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
}
