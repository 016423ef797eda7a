/** Tokens that an issuer has signed for one caller, and the keys to check them with. */
import { generateKeyPairSync, sign } from "node:crypto";

const HOUR = 3600;

export function issuedTokens(count: number): {
  readonly keySet: object;
  readonly tokens: readonly string[];
} {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const header = encoded(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid: "bench" }));
  const now = Math.floor(Date.now() / 1000);
  const token = (jti: number): string => {
    const claims = {
      iss: "https://issuer.example",
      aud: "bench",
      sub: "caller",
      scope: "agents.use agents.list",
      iat: now,
      exp: now + HOUR,
      jti: `token-${jti}`,
    };
    const text = `${header}.${encoded(JSON.stringify(claims))}`;
    const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
    return `${text}.${encoded(sign("sha256", Buffer.from(text), key))}`;
  };
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "bench", alg: "ES256", use: "sig" };
  return { keySet: { keys: [jwk] }, tokens: Array.from({ length: count }, (_, jti) => token(jti)) };
}

function encoded(bytes: string | Buffer): string {
  return Buffer.from(bytes).toString("base64url");
}
