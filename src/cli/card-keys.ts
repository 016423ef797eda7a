/** The keys that `card verify` is told to trust, in files and at addresses. */
import { publicKeysOf, unusedKeysOf, type PublicKey } from "../agents/signing/public-keys.ts";
import { exchange, type HttpRequest } from "./client/http.ts";
import { CommandError } from "./exit.ts";
import { named, textOf } from "./json-file.ts";
import { plainWord } from "./plain-text.ts";

export type KeyRequest = Pick<HttpRequest, "timeoutMs" | "tls">;

/** The keys in a file or at an address. Tells of those in it that are not used, and throws where none is. */
export async function keysAt(where: string, way: KeyRequest): Promise<readonly PublicKey[]> {
  const text = isWebUrl(where) ? await fetched(where, way) : await textOf(where);
  const keys = named(where, () => publicKeysOf(text));
  for (const why of unusedKeysOf(text)) process.stderr.write(`${where}: ${plainWord(why)}\n`);
  return keys;
}

export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * Headers and certificates that the agent is shown are none of the key server's business. It is trusted itself,
 * and not those whom it sends us on to.
 */
async function fetched(url: string, { timeoutMs, tls: { ca } = {} }: KeyRequest): Promise<string> {
  const tls = ca === undefined ? undefined : { ca };
  const answer = await exchange({ url, verb: "GET", headers: {}, isFinal: true, timeoutMs, tls });
  if (answer.kind !== "json" || answer.status !== 200)
    throw new CommandError(`${url}: no key set there`);
  return answer.text;
}
