/** Signs cards (spec 8.4). */
import { sign } from "node:crypto";
import type { AgentCardSignature } from "../../protocol/agent-card.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { HASHES } from "./algorithms.ts";
import type { SigningKey } from "./signing-key.ts";
import { TEXTS, type CardText, type TextForm } from "./texts.ts";

/**
 * A signature of each key over each text that verifiers make of a card in JSON. The address of the gateway's key set
 * is named for keys that have none of their own.
 */
export function signaturesOf(
  card: object,
  keys: readonly SigningKey[],
  keySetUrl?: string,
): readonly AgentCardSignature[] {
  const json = JSON.parse(JSON.stringify(card)) as JsonObject;
  const texts = different(formsOf(json).map((form) => TEXTS[form](json)));
  return keys.flatMap((key) => texts.map((text) => signatureOf(text, key, key.jku ?? keySetUrl)));
}

/** Each version has its own way to say where the agent is. */
function formsOf(card: JsonObject): readonly TextForm[] {
  return [
    ...("supportedInterfaces" in card ? NEWEST : []),
    ...("url" in card ? (["0.3"] as const) : []),
  ];
}

const NEWEST = ["1.0", "1.0, without empty members"] as const;

function different(texts: readonly CardText[]): readonly CardText[] {
  return texts.filter(({ text }, place) => texts.findIndex((each) => each.text === text) === place);
}

/**
 * What the text leaves out is told in the header: without the omitted members a card is another one, whose whole text
 * this may be, and which nobody meant to sign.
 */
function signatureOf(
  { text, omits }: CardText,
  { kid, algorithm, privateKey }: SigningKey,
  jku: string | undefined,
): AgentCardSignature {
  const header = {
    alg: algorithm,
    typ: "JOSE",
    kid,
    ...(jku !== undefined && { jku }),
    ...(omits.length > 0 && { a2aOmits: omits }),
  };
  const protectedHeader = base64url(JSON.stringify(header));
  const input = Buffer.from(`${protectedHeader}.${base64url(text)}`);
  const bytes = sign(HASHES[algorithm], input, { key: privateKey, dsaEncoding: "ieee-p1363" });
  return { protected: protectedHeader, signature: bytes.toString("base64url") };
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
