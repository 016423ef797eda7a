/** Checks signed tokens (RFC 7519, RFC 8725). */
import { errors, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { BadCredentials } from "../refusal.ts";
import type { SignedTokenSettings } from "../settings.ts";
import { ALGORITHMS } from "./algorithms.ts";

/** Milliseconds by which the clocks of issuers may be apart from ours. */
export const CLOCK_SKEW = 30_000;

/** In lower case. Tokens of a named type that is none of these were made for something else (RFC 8725, 3.11). */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt"]);

export type VerifyRules = Pick<
  SignedTokenSettings,
  "issuer" | "audience" | "algorithms" | "typ" | "clockSkew"
>;

/**
 * The claims of a token that is signed by a key of the issuer, made for the audience, and within its time: a token without
 * an end is none. Throws BadCredentials for any other, and what `keyFor` throws of A2AErrors.
 */
export async function verifiedClaims(
  token: string,
  { rules, keyFor, now }: { rules: VerifyRules; keyFor: JWTVerifyGetKey; now: number },
): Promise<JsonObject> {
  const options = optionsOf(rules, now);
  try {
    const { payload, protectedHeader } = await verifiedByAny(token, keyFor, options);
    checkType(protectedHeader.typ, rules.typ);
    return payload as JsonObject;
  } catch (thrown) {
    if (A2AError.is(thrown) || thrown instanceof BadCredentials) throw thrown;
    // The signature is checked before the time: nobody else than its holder learns this of a token.
    if (thrown instanceof errors.JWTExpired)
      throw new BadCredentials("the bearer token has expired", thrown);
    throw new BadCredentials("the bearer token is not valid", thrown);
  }
}

function optionsOf(rules: VerifyRules, now: number): JWTVerifyOptions {
  const { issuer, audience, algorithms = ALGORITHMS, clockSkew = CLOCK_SKEW } = rules;
  const options: JWTVerifyOptions = {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockSkew / 1000,
    currentDate: new Date(now),
    requiredClaims: ["exp"],
  };
  if (audience !== false)
    options.audience = typeof audience === "string" ? audience : [...audience];
  return options;
}

/** A token that names no key is tried with each that it might be of. */
async function verifiedByAny(
  token: string,
  keyFor: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): ReturnType<typeof jwtVerify> {
  try {
    return await jwtVerify(token, keyFor, options);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown;
    for await (const key of thrown) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function checkType(typ: string | undefined, expected: string | undefined): void {
  const name = typ === undefined ? undefined : shortType(typ);
  const isFit =
    expected === undefined ? name === undefined || TYPES.has(name) : name === shortType(expected);
  if (!isFit) throw new BadCredentials("the bearer token is of another type");
}

/** `application/` may be left out (RFC 7515, 4.1.9). */
function shortType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, "");
}
