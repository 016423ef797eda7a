/** The keys and certificates that connections to an agent are made with. */
import { createSecureContext } from "node:tls";
import type { UpstreamTls } from "../config.ts";
import { SettingError } from "../../../setting-error.ts";
import { configuredText } from "./secret.ts";

/** In PEM. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the files; throws a SettingError for one that cannot be read or is not what it should be. */
export async function tlsMaterialOf(files: UpstreamTls, baseDir: string): Promise<TlsMaterial> {
  const material: { -readonly [K in keyof TlsMaterial]: TlsMaterial[K] } = {};
  for (const name of ["ca", "cert", "key"] as const) {
    const file = files[name];
    if (file === undefined) continue;
    material[name] = await configuredText(file, { baseDir, setting: `tls.${name}` });
  }
  if (material.ca !== undefined) check("tls.ca", "certificates in PEM", { ca: material.ca });
  const { cert, key } = material;
  if (cert !== undefined) check("tls.cert", "a certificate in PEM", { cert });
  if (cert !== undefined && key !== undefined)
    check("tls.key", "the private key of tls.cert, in PEM without a passphrase", { cert, key });
  return material;
}

function check(setting: string, what: string, material: TlsMaterial): void {
  try {
    createSecureContext(material);
  } catch (cause) {
    throw new SettingError(setting, `expected ${what}`, { cause });
  }
}
