/** Whether somebody listens at an address. */
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { startLimit } from "../../time-limit.ts";
import type { TlsMaterial } from "../credentials/tls-material.ts";

export interface Reach {
  readonly host: string;
  readonly port: number;
  /** Undefined: without TLS. */
  readonly tls: (TlsMaterial & { readonly ALPNProtocols?: string[] }) | undefined;
}

/** Milliseconds. */
const PATIENCE = 10_000;

/** Opens a connection, with all that TLS asks for, and closes it. Throws the error of a connection that fails. */
export function reach({ host, port, tls }: Reach, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket =
      tls === undefined
        ? connect({ host, port })
        : connectTls({ host, port, ...tls, ...(isIP(host) === 0 && { servername: host }) });
    socket.once(tls === undefined ? "connect" : "secureConnect", () => {
      resolve();
      socket.destroy();
    });
    socket.on("error", reject);
    const stop = () => socket.destroy(new Error("nobody accepted a connection in time"));
    const limit = startLimit(PATIENCE, signal, stop);
    socket.once("close", () => limit.lift());
  });
}
