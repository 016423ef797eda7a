/** Whether a card may be trusted: valid signatures with trusted keys cover all that is read of it (spec 8.4.3). */
import type { JsonObject } from "../../protocol/json.ts";
import { isObject } from "../../wire/schema/objects.ts";
import { publicKeysOf, type PublicKey } from "./public-keys.ts";
import { checkedSignatures, unsignedVersionsOf } from "./verify.ts";

/** As `whyNotTrusted`, for whoever fetches cards. */
export async function verifyCard(
  json: unknown,
  { keySets }: { readonly keySets: readonly string[] },
): Promise<string | undefined> {
  return whyNotTrusted(json, keySets);
}

/**
 * Why not; undefined: it may. `keySets` are in the forms that `publicKeysOf` reads; one that cannot be used is passed
 * over, and told of with what is wrong. Throws where there are too many signatures.
 */
export function whyNotTrusted(json: unknown, keySets: readonly string[]): string | undefined {
  if (!isObject(json)) return "it is no card";
  const card = json as JsonObject;
  const { keys, unused } = keysOf(keySets);
  const checked = checkedSignatures(card, keys);
  if (checked.length === 0) return "it is not signed";
  const [version] = unsignedVersionsOf(card, checked);
  if (version === undefined) return undefined;
  const faults = checked.flatMap(({ verdict }) => ("why" in verdict ? [verdict.why] : []));
  const lack = `no valid signature covers what clients of ${version} read of it`;
  return [lack, ...new Set(faults), ...unused].join("; ");
}

function keysOf(keySets: readonly string[]) {
  const keys: PublicKey[] = [];
  const unused: string[] = [];
  for (const text of keySets) {
    try {
      keys.push(...publicKeysOf(text));
    } catch (thrown) {
      unused.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  return { keys, unused };
}
