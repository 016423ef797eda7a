/** Verifies the signatures of a card (spec 8.4.3). */
import { verify } from "node:crypto";
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { HASHES } from "./algorithms.ts";
import { isList } from "./is-list.ts";
import type { PublicKey } from "./public-keys.ts";
import { TEXTS, type TextForm } from "./texts.ts";

export interface SignatureHeader {
  readonly alg: string;
  readonly kid?: string;
  /** Where the signer says that its keys are. Anybody can say so: it is no reason to trust them. */
  readonly jku?: string;
}

export interface CheckedSignature {
  /** What its protected header says; undefined when that cannot be read. */
  readonly header: SignatureHeader | undefined;
  readonly verdict:
    | { readonly kind: "valid"; readonly form: TextForm }
    | { readonly kind: "invalid"; readonly why: string };
}

interface Signature {
  readonly protected: string;
  readonly signature: string;
}

/** Each signature of the card, in its order; none where there are none. */
export function checkedSignatures(
  card: JsonObject,
  keys: readonly PublicKey[],
): readonly CheckedSignature[] {
  return signaturesOf(card).map((signature) => {
    const header = signature && headerOf(signature.protected);
    if (signature === undefined || header === undefined)
      return { header: undefined, verdict: { kind: "invalid", why: "it is no signature" } };
    return { header, verdict: verdictOf(card, signature, header, keys) };
  });
}

/** The addresses at which the signatures of a card say that their keys are. */
export function keySetUrlsOf(card: JsonObject): readonly string[] {
  const urls = signaturesOf(card).map(
    (signature) => signature && headerOf(signature.protected)?.jku,
  );
  return [...new Set(urls.filter((url) => url !== undefined))];
}

/** The signatures of a card that are not by that key, as they are. */
export function otherSignaturesOf(card: JsonObject, kid: string): readonly JsonValue[] {
  const { signatures } = card;
  if (signatures === undefined || !isList(signatures)) return [];
  return signatures.filter((each) => {
    const signature = signatureOf(each);
    return signature === undefined || headerOf(signature.protected)?.kid !== kid;
  });
}

function verdictOf(
  card: JsonObject,
  signature: Signature,
  { alg, kid }: SignatureHeader,
  keys: readonly PublicKey[],
): CheckedSignature["verdict"] {
  const named = keys.filter((key) => key.kid === undefined || key.kid === kid);
  if (named.length === 0) return invalid(`there is no key ${JSON.stringify(kid ?? "")}`);
  const fitting = named.filter(({ algorithm }) => algorithm === alg);
  if (fitting.length === 0) return invalid(`the key is not one for ${JSON.stringify(alg)}`);
  for (const form of FORMS) {
    const text = textOf(card, form);
    if (text === undefined) continue;
    if (fitting.some((key) => isBy(key, signature, text))) return { kind: "valid", form };
  }
  return invalid("the card is not the one that was signed, or the key is another one");
}

const FORMS = Object.keys(TEXTS) as TextForm[];

function invalid(why: string): CheckedSignature["verdict"] {
  return { kind: "invalid", why };
}

/** What is no card of a version has no text in its form. */
function textOf(card: JsonObject, form: TextForm): string | undefined {
  try {
    return TEXTS[form](card);
  } catch {
    return undefined;
  }
}

function isBy({ algorithm, key }: PublicKey, signature: Signature, text: string): boolean {
  const payload = Buffer.from(text).toString("base64url");
  const input = Buffer.from(`${signature.protected}.${payload}`);
  const bytes = Buffer.from(signature.signature, "base64url");
  return verify(HASHES[algorithm], input, { key, dsaEncoding: "ieee-p1363" }, bytes);
}

function signaturesOf({ signatures }: JsonObject): readonly (Signature | undefined)[] {
  return signatures !== undefined && isList(signatures) ? signatures.map(signatureOf) : [];
}

function signatureOf(value: JsonValue): Signature | undefined {
  if (typeof value !== "object" || value === null || !("protected" in value)) return undefined;
  const { protected: header, signature } = value;
  if (typeof header !== "string" || typeof signature !== "string") return undefined;
  return { protected: header, signature };
}

/** A header that asks for what we do not know (`crit`, RFC 7515, 4.1.11) is not understood as a whole. */
function headerOf(encoded: string): SignatureHeader | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    if (typeof header !== "object" || header === null || "crit" in header) return undefined;
    const { alg, kid, jku } = header as Readonly<Record<string, unknown>>;
    if (typeof alg !== "string") return undefined;
    return {
      alg,
      ...(typeof kid === "string" && { kid }),
      ...(typeof jku === "string" && { jku }),
    };
  } catch {
    return undefined;
  }
}
