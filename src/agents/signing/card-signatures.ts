/** The signatures of a card, as they came (spec 8.4.2): what they say of themselves is not to be believed yet. */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../../wire/schema/objects.ts";
import { isList } from "./is-list.ts";

export interface CardSignature {
  /** As it stands in the card: it is part of what is signed. */
  readonly protected: string;
  readonly signature: Buffer;
  readonly header: SignatureHeader;
}

export interface SignatureHeader {
  readonly alg: string;
  readonly kid?: string;
  /** Where the signer says that its keys are. Anybody can say so: it is no reason to trust them. */
  readonly jku?: string;
  /** What the signed text leaves out of the card that was signed. Only this gateway says so. */
  readonly a2aOmits?: readonly string[];
}

/** Beyond, a card is refused: whoever sends one does not decide how long it is looked at. */
const MOST_SIGNATURES = 100;

/** Each signature in its order; undefined for one that cannot be read. Throws where there are too many. */
export function signaturesIn({ signatures }: JsonObject): readonly (CardSignature | undefined)[] {
  if (signatures === undefined || !isList(signatures)) return [];
  if (signatures.length > MOST_SIGNATURES)
    throw new Error(`${signatures.length} signatures, at most ${MOST_SIGNATURES} are looked at`);
  return signatures.map(signatureOf);
}

/** The signatures of a card that are not by that key, as they are. */
export function otherSignaturesOf({ signatures }: JsonObject, kid: string): readonly JsonValue[] {
  if (signatures === undefined || !isList(signatures)) return [];
  return signatures.filter((each) => signatureOf(each)?.header.kid !== kid);
}

function signatureOf(value: JsonValue): CardSignature | undefined {
  if (!isObject(value)) return undefined;
  const { protected: encoded, signature } = value;
  if (typeof encoded !== "string" || typeof signature !== "string") return undefined;
  const header = headerOf(bytesOf(encoded));
  const bytes = bytesOf(signature);
  return header && bytes && { protected: encoded, signature: bytes, header };
}

/** Of strict base64url (RFC 7515, 2): Node's own reading passes over whatever does not belong there. */
function bytesOf(encoded: string): Buffer | undefined {
  const bytes = Buffer.from(encoded, "base64url");
  return bytes.toString("base64url") === encoded ? bytes : undefined;
}

/**
 * A header that asks for what we do not know (`crit`, RFC 7515, 4.1.11) is not understood as a whole. Null is as good as
 * nothing: so a2a-sdk writes what it has not.
 */
function headerOf(bytes: Buffer | undefined): SignatureHeader | undefined {
  const header = bytes && jsonOf(bytes);
  if (!isObject(header) || "crit" in header) return undefined;
  const { alg, kid, jku, a2aOmits } = header;
  if (typeof alg !== "string" || !isTextOrAbsent(kid) || !isTextOrAbsent(jku)) return undefined;
  return {
    alg,
    ...(typeof kid === "string" && { kid }),
    ...(typeof jku === "string" && { jku }),
    ...(Array.isArray(a2aOmits) && {
      a2aOmits: a2aOmits.filter((each) => typeof each === "string"),
    }),
  };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
