/** Verifies the signatures of a card (spec 8.4.3). */
import { verify } from "node:crypto";
import type { JsonObject } from "../../protocol/json.ts";
import { HASHES } from "./algorithms.ts";
import { signaturesIn, type CardSignature, type SignatureHeader } from "./card-signatures.ts";
import type { PublicKey } from "./public-keys.ts";
import { FORMS, TEXTS, type CardText, type TextForm } from "./texts.ts";

export interface CheckedSignature {
  /** What its protected header says; undefined when that cannot be read. */
  readonly header: SignatureHeader | undefined;
  readonly verdict: Verdict;
}

export type Verdict =
  | { readonly kind: "valid"; readonly form: TextForm }
  /** Valid, but of a text that says nothing of members that matter: they may be others than those signed. */
  | { readonly kind: "partial"; readonly form: TextForm; readonly why: string }
  | { readonly kind: "keyless"; readonly why: string }
  | { readonly kind: "invalid"; readonly why: string };

/** Each signature of the card, in its order; none where there are none. Throws where there are too many. */
export function checkedSignatures(
  card: JsonObject,
  keys: readonly PublicKey[],
): readonly CheckedSignature[] {
  const signatures = signaturesIn(card);
  const texts = signatures.length === 0 ? [] : FORMS.flatMap((form) => textsOf(card, form));
  return signatures.map((signature) => ({
    header: signature?.header,
    verdict:
      signature === undefined
        ? { kind: "invalid", why: "it is no signature" }
        : verdictOf(signature, keys, texts),
  }));
}

/**
 * The versions whose clients read something of the card that no valid signature covers: a signature in the form of one
 * version says nothing of the members that only the other one reads, and a hybrid has both.
 */
export function unsignedVersionsOf(
  card: JsonObject,
  checked: readonly CheckedSignature[],
): readonly ("1.0" | "0.3")[] {
  const signed = new Set(
    checked.flatMap(({ verdict }) =>
      verdict.kind === "valid" ? [verdict.form === "0.3" ? "0.3" : "1.0"] : [],
    ),
  );
  const isLegacy = ["url", "preferredTransport", "additionalInterfaces"].some(
    (name) => name in card,
  );
  const read = [
    ...("supportedInterfaces" in card || !isLegacy ? (["1.0"] as const) : []),
    ...(isLegacy ? (["0.3"] as const) : []),
  ];
  return read.filter((version) => !signed.has(version));
}

/** The addresses at which the signatures of a card say that their keys are. */
export function keySetUrlsOf(card: JsonObject): readonly string[] {
  const urls = signaturesIn(card).map((signature) => signature?.header.jku);
  return [...new Set(urls.filter((url) => url !== undefined))];
}

/** What is no card of a version has no text in its form. */
function textsOf(card: JsonObject, form: TextForm): readonly CardText[] {
  try {
    return [TEXTS[form](card)];
  } catch {
    return [];
  }
}

function verdictOf(
  signature: CardSignature,
  keys: readonly PublicKey[],
  texts: readonly CardText[],
): Verdict {
  const { alg, kid, a2aOmits = [] } = signature.header;
  const named = keys.filter((key) => key.kid === undefined || key.kid === kid);
  if (named.length === 0)
    return { kind: "keyless", why: `there is no key ${JSON.stringify(kid ?? "")}` };
  const fitting = named.filter(({ algorithm }) => algorithm === alg);
  if (fitting.length === 0) return invalid(`the key is not one for ${JSON.stringify(alg)}`);
  const signed = texts.find(({ text }) => fitting.some((key) => isBy(key, signature, text)));
  if (signed === undefined)
    return invalid("the card is not the one that was signed, or the key is another one");
  const { form } = signed;
  const omits = [...new Set([...a2aOmits, ...signed.omits])];
  if (omits.length === 0) return { kind: "valid", form };
  return { kind: "partial", form, why: `it says nothing of ${omits.join(", ")}` };
}

function invalid(why: string): Verdict {
  return { kind: "invalid", why };
}

function isBy({ algorithm, key }: PublicKey, signature: CardSignature, text: string): boolean {
  const payload = Buffer.from(text).toString("base64url");
  const input = Buffer.from(`${signature.protected}.${payload}`);
  return verify(HASHES[algorithm], input, { key, dsaEncoding: "ieee-p1363" }, signature.signature);
}
