/** The listeners that agents have of their own do not get into the way of others. */
import { z } from "zod";
import type { Address } from "./units.ts";

interface Listeners {
  readonly listen: Address;
  readonly grpcListen?: Address;
  readonly ops: { readonly listen: Address | undefined };
  readonly agents: Readonly<Record<string, { readonly port?: number }>>;
}

/** An agent's port is on the host of `listen`, and nothing else is there. 0 takes a free port, and so never clashes. */
export const ownPorts = z.core._check<Listeners>(({ value, issues }) => {
  const { listen, grpcListen, ops, agents } = value;
  const taken = new Set(
    [listen, grpcListen, ops.listen]
      .filter((address) => address !== undefined)
      .filter(({ host }) => overlap(host, listen.host))
      .map(({ port }) => port),
  );
  for (const [id, { port }] of Object.entries(agents)) {
    if (port === undefined || port === 0) continue;
    if (taken.has(port)) {
      const message = "expected a port that no other setting takes";
      issues.push({ code: "custom", message, path: ["agents", id, "port"], input: value });
    }
    taken.add(port);
  }
});

const EVERY_INTERFACE: readonly string[] = ["0.0.0.0", "::"];

function overlap(host: string, other: string): boolean {
  return host === other || [host, other].some((each) => EVERY_INTERFACE.includes(each));
}
