/** The TLS of a listener, put together: its settings, the files that these name, and the gate that connections come through. */
import type { TLSSocket } from "node:tls";
import type { TlsConfig } from "./config/tls.ts";
import { tlsFilesOf, tlsMaterialOf, type TlsPlace } from "./config/tls-material.ts";
import type { Log } from "./core/ports/log.ts";
import { openCertificate } from "./transports/tls-certificate.ts";
import { createTlsGate, type TlsGate } from "./transports/tls-gate.ts";

export interface Tls {
  /** A gate to a listener of these protocols; `secured` takes over what comes through it. Whoever makes it stops it. */
  gate(protocols: readonly string[], secured: (connection: TLSSocket) => void): TlsGate;
  /** The value of `Strict-Transport-Security`; undefined where the header is not sent. */
  readonly hsts: string | undefined;
  /** Looks at the files no longer. */
  close(): void;
}

/** Throws a ConfigError for files that cannot be used. */
export async function openTls(settings: TlsConfig, place: TlsPlace, log: Log): Promise<Tls> {
  const certificate = await openCertificate({
    files: tlsFilesOf(settings, place),
    read: () => tlsMaterialOf(settings, place),
    log,
  });
  const { minVersion, clientCertificates, hsts } = settings;
  return {
    gate: (protocols, secured) =>
      createTlsGate({ certificate, minVersion, clientCertificates, protocols, secured, log }),
    hsts: hsts === undefined ? undefined : `max-age=${Math.floor(hsts / 1000)}`,
    close: () => certificate.close(),
  };
}
