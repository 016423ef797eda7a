/** What a client certificate says of whoever holds it; the listener has checked it against its authorities. */

export interface Certificate {
  /** Of the subject; undefined for none and for several. */
  readonly commonName: string | undefined;
  /** The alternative names by their kind. */
  readonly dns: readonly string[];
  readonly uri: readonly string[];
  readonly email: readonly string[];
  /** SHA-256 of the certificate in base64url, as tokens that are bound to one name it (RFC 8705, 3.1). */
  readonly thumbprint: string;
}

/** As the connection tells of it. */
export interface ShownCertificate {
  readonly commonName: string | undefined;
  /** The alternative names with their kinds: `DNS:a.example`. */
  readonly names: readonly string[];
  /** Hexadecimal pairs with colons between. */
  readonly fingerprint256: string;
}

export function certificateOf({
  commonName,
  names,
  fingerprint256,
}: ShownCertificate): Certificate {
  const named = (kind: "DNS" | "URI" | "email"): readonly string[] =>
    names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  return {
    commonName,
    dns: named("DNS").map((name) => name.toLowerCase()),
    uri: named("URI"),
    email: named("email"),
    thumbprint: Buffer.from(fingerprint256.replaceAll(":", ""), "hex").toString("base64url"),
  };
}
