/**
 * The addresses of a name. The hosts file comes first, then the name servers, which are asked directly: a name that
 * nobody answers for keeps no other waiting. The system is asked for what these do not know, for it knows more (search
 * domains, names of the local network), but it takes few names at a time.
 */
import type { LookupAddress } from "node:dns";
import { dnsAddresses, isUnknownName } from "./dns-lookup.ts";
import { hostsFileAddresses } from "./hosts-file.ts";
import { Memory } from "./memory.ts";
import { openSystemLookup } from "./system-lookup.ts";

/** Every address of a name, in the order in which they are to be tried. Rejects with an error that has a code. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface Sources {
  /** Resolves with no addresses for a name that it does not have. */
  readonly hostsFile: Resolve;
  readonly dns: Resolve;
  readonly system: Resolve;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** How long an answer holds, and that there is none, in milliseconds: an address is judged anew each time it is used. */
const KEPT_MS = 10_000;
const REMEMBERED = 1_000;

interface Answer {
  readonly addresses: ReturnType<Resolve>;
  /** Undefined while it is under way. */
  until: number | undefined;
}

export function openResolve({ hostsFile, dns, system, now }: Sources = ownSources()): Resolve {
  const answers = new Memory<Answer>(REMEMBERED);

  async function ask(name: string): Promise<readonly LookupAddress[]> {
    const written = await hostsFile(name);
    if (written.length > 0) return written;
    try {
      return await dns(name);
    } catch (thrown) {
      if (!isUnknownName(thrown)) throw thrown;
      return system(name);
    }
  }

  return (name) => {
    const known = answers.get(name);
    if (known !== undefined && (known.until ?? Infinity) > now()) return known.addresses;
    const answer: Answer = { addresses: ask(name), until: undefined };
    const keep = (): void => {
      answer.until = now() + KEPT_MS;
    };
    void answer.addresses.then(keep, keep);
    answers.set(name, answer);
    return answer.addresses;
  };
}

function ownSources(): Sources {
  return {
    hostsFile: (name) => hostsFileAddresses(name),
    dns: (name) => dnsAddresses(name),
    system: openSystemLookup(),
    now: () => performance.now(),
  };
}
