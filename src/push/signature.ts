/** Signs deliveries, so that a receiver knows who sent them, to whom, when, and that nothing was changed. */
import { createHash, sign, type KeyObject } from "node:crypto";

export const SIGNATURE_HEADER = "X-A2A-Signature";

const LIFETIME_S = 300;

/** The hash that is signed; null where the algorithm has its own. */
const HASHES = { ES256: "sha256", RS256: "sha256", EdDSA: null } as const;

export interface JwtKey {
  /** The name under which receivers find the key in the gateway's key set. */
  readonly kid: string;
  readonly algorithm: keyof typeof HASHES;
  readonly privateKey: KeyObject;
}

export interface JwtSigner extends JwtKey {
  /** The address at which the gateway is known, and below which its key set is. */
  readonly issuer: string;
}

export interface SignedDelivery {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly taskId: string;
  /** Where it is sent: whoever receives it cannot pass it on as if it had been sent to somebody else. */
  readonly url: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A JSON Web Token (RFC 7519) that holds for five minutes. */
export function signatureOf(signer: JwtSigner, delivery: SignedDelivery): string {
  const { kid, algorithm, privateKey, issuer } = signer;
  const { deliveryId, attempt, taskId, url, body, now } = delivery;
  const issuedAt = Math.floor(now / 1000);
  const header = encoded({ alg: algorithm, typ: "JWT", kid });
  const claims = encoded({
    iss: issuer,
    aud: url,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_S,
    jti: `${deliveryId}.${attempt}`,
    task_id: taskId,
    body_sha256: createHash("sha256").update(body).digest("base64url"),
  });
  const input = `${header}.${claims}`;
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  const signature = sign(HASHES[algorithm], Buffer.from(input), key);
  return `${input}.${signature.toString("base64url")}`;
}

function encoded(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
