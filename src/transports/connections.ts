/** Counts connections, in all and from one address, and closes those that are too many. */
import type { Socket } from "node:net";
import { networkOf } from "../network.ts";

export interface ConnectionLimits {
  readonly total: number;
  /** From one address, which is the first 64 bits of an IPv6 address; undefined: as many as in all. */
  readonly perAddress: number | undefined;
}

export interface ConnectionsOptions {
  readonly limits: ConnectionLimits;
  /** Whether an address is that of a proxy, which speaks for many. */
  readonly isProxy: (address: string) => boolean;
  readonly log: { warn(fields: object, message: string): void };
  /** Milliseconds since whenever. */
  readonly now?: () => number;
}

export interface Connections {
  /** Counts a new connection until it closes; false for one that is too many, and has been closed. */
  admit(connection: Socket): boolean;
}

/** A flood of connections is told of so often, in milliseconds. */
const TELL_EVERY_MS = 10_000;

export function createConnections(options: ConnectionsOptions): Connections {
  const { limits, isProxy, log, now = () => performance.now() } = options;
  const byNetwork = new Map<string, number>();
  let open = 0;
  let refused = 0;
  let toldAt = -Infinity;

  function count(network: string | undefined, difference: 1 | -1): void {
    open += difference;
    if (network === undefined) return;
    const counted = (byNetwork.get(network) ?? 0) + difference;
    if (counted === 0) byNetwork.delete(network);
    else byNetwork.set(network, counted);
  }

  function refuse(connection: Socket, limit: keyof ConnectionLimits): void {
    refused++;
    if (now() - toldAt >= TELL_EVERY_MS) {
      log.warn({ limit, refused, open, peer: connection.remoteAddress }, "connections refused");
      refused = 0;
      toldAt = now();
    }
    connection.destroy();
  }

  return {
    admit(connection) {
      const { perAddress } = limits;
      const address = connection.remoteAddress ?? "";
      const network = perAddress === undefined || isProxy(address) ? undefined : networkOf(address);
      const counted = network === undefined ? 0 : (byNetwork.get(network) ?? 0);
      const limit =
        open >= limits.total
          ? "total"
          : counted >= (perAddress ?? Infinity)
            ? "perAddress"
            : undefined;
      if (limit) {
        refuse(connection, limit);
        return false;
      }
      count(network, 1);
      connection.once("close", () => count(network, -1));
      return true;
    },
  };
}
