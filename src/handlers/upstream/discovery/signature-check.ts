/** Whether a fetched card is signed as the configuration wants it (spec 8.4). */
import type { Log } from "../../../core/ports/log.ts";
import { SettingError } from "../../../setting-error.ts";
import { openTrustedKeys, type TrustSettings } from "./trusted-keys.ts";

/** Whose signatures count. */
export interface CardTrust {
  /** JSON Web Key Sets, or keys (RFC 7517), in JSON, as they came. */
  readonly keySets: readonly string[];
}

/**
 * Resolves with undefined for a card of which all that is read is covered by a valid signature with one of the keys,
 * else with why that is not so, such as `it is not signed`. `json` is the card as the agent sent it, of either version.
 * Rejects for keys that cannot be used.
 */
export type VerifyCard = (json: unknown, trust: CardTrust) => Promise<string | undefined>;

export interface SignatureSettings extends TrustSettings {
  /** `warn`: what is wrong is logged. `require`: a card with which something is wrong is as good as none. */
  readonly cardSignatures: "off" | "warn" | "require";
}

export interface SignatureDeps {
  readonly baseDir: string;
  readonly log: Log;
  readonly verifyCard: VerifyCard | undefined;
}

export interface CheckedCard {
  /** Where it was. */
  readonly url?: string;
  readonly json: unknown;
}

/** Resolves with why the card is not to be used; undefined: it may be. */
export type SignatureCheck = (
  card: CheckedCard,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Undefined where signatures do not matter. Throws a SettingError for keys that cannot be read. */
export async function openSignatureCheck(
  settings: SignatureSettings,
  { baseDir, log, verifyCard }: SignatureDeps,
): Promise<SignatureCheck | undefined> {
  const { cardSignatures } = settings;
  if (cardSignatures === "off") return undefined;
  if (verifyCard === undefined)
    throw new SettingError("cardSignatures", "expected off, as cards cannot be verified here");
  const trustedKeys = await openTrustedKeys(settings, baseDir);
  const warned = new Map<string | undefined, string>();
  return async ({ url, json }, signal) => {
    const { keySets, missing } = await trustedKeys(signal);
    const why = await whyNot(json, { keySets }, verifyCard);
    if (why === undefined) {
      warned.delete(url);
      return undefined;
    }
    const problem = [`the card's signatures do not do: ${why}`, ...missing].join("; ");
    if (cardSignatures === "require") return problem;
    if (warned.get(url) !== problem) log.warn({ url, problem }, "the agent's card is not trusted");
    warned.set(url, problem);
    return undefined;
  };
}

async function whyNot(
  json: unknown,
  trust: CardTrust,
  verifyCard: VerifyCard,
): Promise<string | undefined> {
  try {
    return await verifyCard(json, trust);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
