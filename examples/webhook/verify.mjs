import { createHash, createPublicKey, verify } from "node:crypto";

const HASHES = { ES256: "sha256", RS256: "sha256", EdDSA: null };

/**
 * The claims of a delivery; throws for one that is not what the gateway sent to this webhook.
 * `gateway` is its public URL, without a slash at the end; `headers` have lower-case names, `body` is the text as it came,
 * before it is parsed.
 */
export async function verifiedClaims({ gateway, webhook, headers, body }) {
  const [header, payload, signature] = (headers["x-a2a-signature"] ?? "").split(".");
  if (!signature) throw new Error("not signed");
  const { kid } = decoded(header);
  const answer = await fetch(`${gateway}/.well-known/jwks.json`);
  const jwk = (await answer.json()).keys.find((each) => each.kid === kid);
  if (!jwk || !Object.hasOwn(HASHES, jwk.alg)) throw new Error(`no key ${kid}`);
  const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
  const signed = Buffer.from(`${header}.${payload}`);
  // The key says which algorithm it is for; the header of a token may say anything.
  if (!verify(HASHES[jwk.alg], signed, key, Buffer.from(signature, "base64url")))
    throw new Error("not signed by the gateway");
  const claims = decoded(payload);
  const hash = createHash("sha256").update(body).digest("base64url");
  if (claims.body_sha256 !== hash) throw new Error("signed for another body");
  if (claims.iss !== gateway || claims.aud !== webhook) throw new Error("signed for another");
  if (claims.exp * 1000 < Date.now()) throw new Error("too old");
  return claims;
}

function decoded(part) {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
