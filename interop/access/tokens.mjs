/** Signed tokens (RFC 7519), with nothing but what Node brings. */
import { generateKeyPairSync, sign } from "node:crypto";

/** A private key, and its public half as a JSON Web Key under that id. */
export function newKey(kid) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  return { privateKey, jwk };
}

export function signed(claims, { privateKey, jwk }) {
  const header = { alg: jwk.alg, typ: "JWT", kid: jwk.kid };
  const text = [header, claims].map((part) => encoded(JSON.stringify(part))).join(".");
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" };
  return `${text}.${encoded(sign("sha256", Buffer.from(text), key))}`;
}

const encoded = (bytes) => Buffer.from(bytes).toString("base64url");
