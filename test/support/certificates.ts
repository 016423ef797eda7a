/** Certificates that openssl makes for a test. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Why tests that need certificates are passed over; false where they are not. */
export const NO_OPENSSL: string | false =
  spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";

/** The files of a certificate and its key, or what is in them. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly folder: string;
  /** The file of its own certificate. */
  readonly ca: string;
  /** Signs a certificate for a subject such as `/CN=a`; `names` as openssl has them: `DNS:localhost`. */
  issue(file: string, subject: string, names: string): Promise<Pair>;
  /** For a server on this machine. */
  server(file?: string): Promise<Pair>;
  remove(): Promise<void>;
}

/** Whoever creates one removes it. */
export async function createAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-tls-"));
  const [ca, caKey] = [join(folder, "ca.pem"), join(folder, "ca.key")];
  const own = ["-x509", "-subj", "/CN=authority", "-keyout", caKey, "-out", ca, "-days", "2"];
  await run("openssl", ["req", ...EC, ...own]);
  const issue = async (file: string, subject: string, names: string): Promise<Pair> => {
    const at = join(folder, file);
    const pair = { cert: `${at}.pem`, key: `${at}.key` };
    const request = ["-subj", subject, "-keyout", pair.key, "-out", `${at}.csr`];
    await run("openssl", ["req", ...EC, ...request]);
    await writeFile(`${at}.ext`, `subjectAltName=${names}\n`);
    const signed = ["-in", `${at}.csr`, "-CA", ca, "-CAkey", caKey, "-CAcreateserial"];
    const made = ["-days", "1", "-extfile", `${at}.ext`, "-out", pair.cert];
    await run("openssl", ["x509", "-req", ...signed, ...made]);
    return pair;
  };
  return {
    folder,
    ca,
    issue,
    server: (file = "server") => issue(file, "/CN=server", "DNS:localhost,IP:127.0.0.1"),
    remove: () => rm(folder, { recursive: true }),
  };
}

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** What is in the files. */
export async function textsOf({ cert, key }: Pair): Promise<Pair> {
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}
