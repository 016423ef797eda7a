/** What comes with a request and may say who sent it. */
import type { Asked } from "../protocol/asked.ts";
import type { Certificate } from "./certificate.ts";

export interface Credentials {
  /** The headers or gRPC metadata, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parameters in the URL; there are none on gRPC. */
  readonly query: { get(name: string): string | null };
  /** The caller's certificate, where the connection has one. */
  readonly certificate: Certificate | undefined;
  /** The caller's IP address, that of a trusted proxy's client included; guesses are counted by it. */
  readonly address: string;
  /** What was asked for; undefined where others than the doors ask, who write down themselves whom they refuse. */
  readonly asked?: Asked | undefined;
}

/**
 * The credentials of the Authorization header when its scheme is that one, whatever its case (RFC 9110, 11.4); empty when
 * the scheme stands alone, undefined when there is another one or none.
 */
export function authorizationOf(
  { headers }: Pick<Credentials, "headers">,
  scheme: "Basic" | "Bearer",
): string | undefined {
  const given = headers["authorization"];
  if (given === undefined) return undefined;
  // As nearly everybody writes it.
  if (given.startsWith(`${scheme} `)) return given.slice(scheme.length + 1).trim();
  const header = given.trim();
  const end = header.search(/[ \t]/);
  const [name, rest] = end === -1 ? [header, ""] : [header.slice(0, end), header.slice(end)];
  return name.toLowerCase() === scheme.toLowerCase() ? rest.trim() : undefined;
}

/** The value of the first cookie of that name, without the quotes it may stand in (RFC 6265, 4.2.1). */
export function cookieOf(
  { headers }: Pick<Credentials, "headers">,
  name: string,
): string | undefined {
  for (const pair of (headers["cookie"] ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at === -1 || pair.slice(0, at).trim() !== name) continue;
    return pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/s, "$1");
  }
  return undefined;
}
