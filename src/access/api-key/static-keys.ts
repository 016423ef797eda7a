/** The API keys that the configuration knows, by their hashes. */
import { SettingError } from "../../setting-error.ts";
import type { StaticKeySettings } from "../settings.ts";
import type { Principal } from "../../protocol/principal.ts";
import { configuredPrincipal } from "../principal.ts";
import { fileText, type SettingPlace } from "../secret.ts";
import { hashOfKey, keyProblem } from "./key.ts";

/** Throws a SettingError for a file that holds no key, a hash that is none, and a key that is there twice. */
export async function openStaticKeys(
  keys: readonly StaticKeySettings[],
  { path, baseDir }: SettingPlace,
): Promise<ReadonlyMap<string, Principal>> {
  const known = new Map<string, Principal>();
  for (const [index, settings] of keys.entries()) {
    const at = `${path}[${index}]`;
    const hash = await hashIn(settings, { path: at, baseDir });
    if (known.has(hash))
      throw new SettingError(at, "expected a key that is not in the list already");
    const named = { path: `${at}.principal`, method: "apiKey" } as const;
    known.set(hash, configuredPrincipal(settings.principal, named));
  }
  return known;
}

async function hashIn(
  settings: StaticKeySettings,
  { path, baseDir }: SettingPlace,
): Promise<string> {
  if ("file" in settings) {
    const place = { path: `${path}.file`, baseDir };
    const key = await fileText(settings.file, place);
    const problem = keyProblem(key);
    if (problem !== undefined) throw new SettingError(place.path, problem);
    return hashOfKey(key);
  }
  const hash = settings.hash.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new SettingError(`${path}.hash`, "expected a SHA-256 in hexadecimal digits");
  return hash;
}
