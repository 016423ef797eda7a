/** The certificate of a listener, which may be renewed while the listener is open. */
import { X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";

/** In PEM. */
export interface CertificateTexts {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

export interface CertificateSource {
  /** Whose changes count; absolute paths. */
  readonly files: readonly string[];
  /** What is in them now. Throws when that cannot be used. */
  read(): Promise<CertificateTexts>;
  readonly log: CertificateLog;
}

export interface CertificateLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Certificate {
  /** Another object after each change. */
  readonly current: CertificateTexts;
  /** Looks at the files no longer. */
  close(): void;
}

/**
 * How often the files are looked at, in milliseconds. Events of the file system say less than that: they miss files
 * that are mounted, and links that are turned to another file, as orchestrators do.
 */
const LOOK_EVERY_MS = 2_000;

/**
 * Throws what `read` throws. Afterwards the files are read again whenever one of them is another one, or has another
 * time or size; what cannot be used then is logged, and what was used before stays.
 */
export async function openCertificate(source: CertificateSource): Promise<Certificate> {
  const { files, read, log } = source;
  // Before they are read: what is written in between shows at the next look.
  let seen = await stampOf(files);
  let current = await read();
  warnOfAge(current, source);
  let isLooking = false;

  async function look(): Promise<void> {
    const stamp = await stampOf(files);
    if (stamp === seen) return;
    seen = stamp;
    try {
      current = await read();
    } catch (err) {
      log.error({ err, files }, "the new certificate cannot be used; the one before stays");
      return;
    }
    const { validTo } = new X509Certificate(current.cert);
    log.info({ files, validTo }, "certificate renewed");
    warnOfAge(current, source);
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, LOOK_EVERY_MS).unref();
  return {
    get current() {
      return current;
    },
    close: () => clearInterval(timer),
  };
}

/** A file that is not there has a stamp too: it is about to be written anew. */
async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map((file) =>
    stat(file).then(
      ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
      () => "none",
    ),
  );
  return (await Promise.all(stamps)).join("\n");
}

function warnOfAge({ cert }: CertificateTexts, { files, log }: CertificateSource): void {
  const { validTo } = new X509Certificate(cert);
  if (Date.parse(validTo) < Date.now()) log.warn({ files, validTo }, "the certificate has expired");
}
