/** Lets connections in once they are encrypted: handshakes of bounded number and length. */
import { constants } from "node:crypto";
import type { Socket } from "node:net";
import {
  createServer,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
} from "node:tls";
import type { Certificate, CertificateTexts } from "./tls-certificate.ts";
import { refusePlain } from "./tls-refusal.ts";

export interface TlsGateOptions {
  /** A renewed one counts for the connections that come after it. */
  readonly certificate: Certificate;
  readonly minVersion: SecureVersion;
  /** Optional: whoever shows none that is trusted is let in, as nobody known. */
  readonly clientCertificates: "off" | "optional" | "required";
  /** The protocols that may be agreed on (ALPN, RFC 7301), by preference. */
  readonly protocols: readonly string[];
  /** Takes over a connection; its `alpnProtocol` is one of the protocols, or false for a peer that named none. */
  readonly secured: (connection: TLSSocket) => void;
  readonly log: GateLog;
  /** How long a connection may take until it is encrypted, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface GateLog {
  debug(fields: object, message: string): void;
}

export interface TlsGate {
  add(connection: Socket): void;
  /** Drops what is not encrypted yet; nothing may be added afterwards. */
  stop(): void;
}

const TIMEOUT_MS = 10_000;
/** So many connections may be on their way; each may hold some 60 KB. */
const MOST_OPENING = 1_000;
/** When as many are, one that has taken this long makes room. */
const SLOW_MS = 1_000;

interface Opening {
  readonly connection: Socket;
  readonly since: number;
}

export function createTlsGate(options: TlsGateOptions): TlsGate {
  const { certificate, secured, log, timeoutMs = TIMEOUT_MS } = options;
  /** By peer, oldest first. */
  const opening = new Map<string, Opening>();
  let used = certificate.current;
  const server = createServer({
    ...contextOf(used, options),
    ALPNProtocols: [...options.protocols],
    requestCert: options.clientCertificates !== "off",
    rejectUnauthorized: options.clientCertificates === "required",
  });
  server.on("secureConnection", (connection) => {
    const peer = peerOf(connection);
    opening.get(peer)?.connection.off("close", forget);
    opening.delete(peer);
    if (options.clientCertificates === "optional") tellUntrusted(connection, log);
    secured(connection);
  });
  server.on("tlsClientError", (err, connection) => {
    log.debug({ err, certificate: connection.authorizationError }, "TLS handshake failed");
  });
  const sweep = setInterval(dropSlow, Math.max(1, timeoutMs / 4)).unref();
  return {
    add(connection) {
      if (opening.size >= MOST_OPENING && !madeRoom()) {
        connection.destroy();
        return;
      }
      opening.set(peerOf(connection), { connection, since: performance.now() });
      // The listeners are shared, since a connection would keep what is made for it.
      connection.on("error", ignore).on("close", forget).on("readable", look).on("end", drop);
    },
    stop() {
      clearInterval(sweep);
      for (const { connection } of opening.values()) connection.destroy();
    },
  };

  /** A TLS record of a handshake begins with 22 (RFC 8446, 5.1). */
  function look(this: Socket): void {
    const bytes: Buffer | null = this.read();
    if (bytes === null) return;
    this.off("readable", look).off("end", drop);
    if (bytes[0] !== 22) {
      log.debug({ peer: this.remoteAddress }, "no TLS");
      refusePlain(this, bytes);
      return;
    }
    this.unshift(bytes);
    if (certificate.current !== used) {
      used = certificate.current;
      server.setSecureContext(contextOf(used, options));
    }
    server.emit("connection", this);
  }

  function forget(this: Socket): void {
    opening.delete(peerOf(this));
  }

  function madeRoom(): boolean {
    for (const [peer, { connection, since }] of opening) {
      if (since > performance.now() - SLOW_MS) return false;
      opening.delete(peer);
      connection.destroy();
      return true;
    }
    return false;
  }

  function dropSlow(): void {
    const oldest = performance.now() - timeoutMs;
    for (const { connection, since } of opening.values()) {
      if (since > oldest) return;
      connection.destroy();
    }
  }
}

/** Of TLS 1.2 those alone that HTTP/2 allows (RFC 9113, 9.2.2): authenticated, and of no use to whoever gets the key later. */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

function contextOf(
  { cert, key, ca }: CertificateTexts,
  { minVersion }: Pick<TlsGateOptions, "minVersion">,
): SecureContextOptions {
  return {
    cert,
    key,
    ...(ca !== undefined && { ca }),
    minVersion,
    ciphers: CIPHERS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** Names a connection of a listener; nothing else leads from an encrypted socket to the one that it is made of. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function tellUntrusted(connection: TLSSocket, log: GateLog): void {
  if (connection.authorized || connection.getPeerX509Certificate() === undefined) return;
  const { authorizationError: why, remoteAddress: peer } = connection;
  log.debug({ why, peer }, "a caller's certificate is not trusted");
}

function drop(this: Socket): void {
  this.destroy();
}

function ignore(): void {}
