/** The addresses of a name. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";

/** Every address of a name, in the order in which they are to be tried. Rejects with an error that has a code. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Node asks the system on one of four threads, which the database needs too: names that nobody answers for must not
 * take them all.
 */
const MOST_AT_A_TIME = 2;

/** Asks the system (hosts file, search domains and all), each name once at a time. */
export function openSystemResolve(): Resolve {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function ask(name: string): Promise<readonly LookupAddress[]> {
    if (running < MOST_AT_A_TIME) running++;
    // Whoever ends hands on its place.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await lookup(name, { all: true, verbatim: true });
    } finally {
      asked.delete(name);
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return (name) => {
    const known = asked.get(name);
    if (known !== undefined) return known;
    const answer = ask(name);
    asked.set(name, answer);
    return answer;
  };
}
