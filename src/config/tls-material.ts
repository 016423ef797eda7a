import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { textOfFile } from "../text-file.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { pathText, type Path } from "./path.ts";
import type { TlsConfig } from "./tls.ts";

/** In PEM. */
export interface TlsMaterial {
  /** The listener's own certificate, then those between it and an authority. */
  readonly cert: string;
  readonly key: string;
  /** The authorities that callers' certificates are checked against. */
  readonly ca?: string;
}

/** What stands around the settings of a listener's TLS. */
export interface TlsPlace extends Pick<Config, "whereOf" | "baseDir"> {
  /** Where they stand: `["tls"]`, `["ops", "tls"]`. */
  readonly at: Path;
}

const FILES = ["cert", "key", "clientCa"] as const;

/** The files that the settings name, absolute. */
export function tlsFilesOf(
  settings: TlsConfig,
  { baseDir }: Pick<TlsPlace, "baseDir">,
): readonly string[] {
  return FILES.flatMap((name) => settings[name] ?? []).map((file) => resolve(baseDir, file));
}

/**
 * What is in the files now. Throws a ConfigError that names the setting for one that cannot be read, holds no
 * certificate or only the beginning of one, and for a key that is not the certificate's.
 */
export async function tlsMaterialOf(settings: TlsConfig, place: TlsPlace): Promise<TlsMaterial> {
  const problem = (name: string, what: string, cause: unknown): ConfigError => {
    const path = [...place.at, name];
    return new ConfigError([{ where: place.whereOf(path), path: pathText(path), what }], { cause });
  };
  const read = (name: (typeof FILES)[number], file: string): Promise<string> =>
    textOfFile(resolve(place.baseDir, file)).catch((cause: unknown) => {
      throw problem(name, cause instanceof Error ? cause.message : String(cause), cause);
    });
  const check = (name: string, what: string, attempt: () => void): void => {
    try {
      attempt();
    } catch (cause) {
      throw problem(name, `expected ${what}`, cause);
    }
  };

  const cert = await read("cert", settings.cert);
  check("cert", "certificates in PEM", () => checkCertificates(cert));
  const key = await read("key", settings.key);
  check("key", "the private key of cert, in PEM without a passphrase", () =>
    createSecureContext({ cert, key }),
  );
  if (settings.clientCa === undefined) return { cert, key };
  const ca = await read("clientCa", settings.clientCa);
  check("clientCa", "certificates in PEM", () => checkCertificates(ca));
  return { cert, key, ca };
}

const BEGINNING = /-----BEGIN CERTIFICATE-----/g;
const WHOLE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** TLS itself passes over what it cannot read. */
function checkCertificates(pem: string): void {
  const certificates = pem.match(WHOLE) ?? [];
  if (certificates.length === 0 || certificates.length !== pem.match(BEGINNING)?.length)
    throw new Error("no certificates, or not whole ones");
  for (const each of certificates) new X509Certificate(each);
}
