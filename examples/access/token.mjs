// An issuer of tokens for a trial: the first time it makes a key and writes its public half to jwks.json, and then signs a
// token of five minutes for the subject that is its argument, with the scopes behind it. node token.mjs alice orders.read
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [sub, ...scopes] = process.argv.slice(2);
if (!existsSync("issuer-key.pem")) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync("issuer-key.pem", pem, { mode: 0o600 });
  const jwk = { ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "trial" };
  writeFileSync("jwks.json", JSON.stringify({ keys: [jwk] }));
}
const key = createPrivateKey(readFileSync("issuer-key.pem"));
const exp = Math.floor(Date.now() / 1000) + 300;
const claims = { iss: "https://issuer.example", aud: "gateway", sub, scope: scopes.join(" "), exp };
const text = [{ alg: "ES256", typ: "JWT", kid: "trial" }, claims]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");
const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
console.log(`${text}.${signature.toString("base64url")}`);
