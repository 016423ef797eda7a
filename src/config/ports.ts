/** No two listeners are at the same address. */
import { z } from "zod";
import type { Address } from "./addresses.ts";

interface Listeners {
  readonly listen: Address;
  readonly grpcListen?: Address;
  readonly ops: { readonly listen: Address | undefined };
  readonly agents: Readonly<Record<string, { readonly port?: number }>>;
}

interface Listener {
  readonly path: readonly string[];
  readonly address: Address;
}

export const ports = z.core._check<Listeners>(({ value, issues }) => {
  const known: Listener[] = [];
  for (const listener of listenersOf(value)) {
    const other = known.find(({ address }) => clash(address, listener.address));
    known.push(listener);
    if (other === undefined) continue;
    const { port } = listener.address;
    const message = `port ${port} is taken by ${other.path.join(".")}`;
    issues.push({ code: "custom", message, path: [...listener.path], input: value });
  }
});

/** An agent's port is on the host of `listen`. */
function listenersOf({ listen, grpcListen, ops, agents }: Listeners): readonly Listener[] {
  return [
    { path: ["listen"], address: listen },
    ...(grpcListen ? [{ path: ["grpcListen"], address: grpcListen }] : []),
    ...(ops.listen ? [{ path: ["ops", "listen"], address: ops.listen }] : []),
    ...Object.entries(agents).flatMap(([id, { port }]) =>
      port === undefined
        ? []
        : [{ path: ["agents", id, "port"], address: { host: listen.host, port } }],
    ),
  ];
}

/** 0 takes a free port, and so never clashes. */
function clash(one: Address, other: Address): boolean {
  if (one.port === 0 || one.port !== other.port) return false;
  return one.host === other.host || [one, other].some(({ host }) => EVERY_INTERFACE.includes(host));
}

const EVERY_INTERFACE: readonly string[] = ["0.0.0.0", "::"];
