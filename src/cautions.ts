/** What is allowed, and yet may be a slip of the pen: told in the log at the start. */
import type { Config } from "./config/config.ts";
import type { TlsConfig } from "./config/tls.ts";
import type { Log } from "./core/ports/log.ts";
import { isLoopback } from "./loopback.ts";

/** Of who is let in. */
export function warnOfAccess(config: Config, log: Log): void {
  if (config.access.mode === "off") return warnOfOpenDoors(config, log);
  warnOfUnknownAgents(config, log);
  warnOfCertificates(config, log);
}

/** A certificate that is asked for keeps others out as well. */
function warnOfOpenDoors({ listen, grpcListen, tls, access }: Config, log: Log): void {
  if (tls?.clientCertificates === "required") return;
  const open = [listen, grpcListen].find((each) => each !== undefined && !isLoopback(each.host));
  if (open === undefined) return;
  log.warn(
    { listen: open, mode: access.mode },
    "access.mode is off: whoever reaches the gateway may call every agent",
  );
}

/** Agents come and go while the gateway runs, so that this may be right. */
function warnOfUnknownAgents({ access, agents, whereOf }: Config, log: Log): void {
  for (const [index, policy] of access.policies.entries())
    for (const [place, agent] of (policy.agents ?? []).entries()) {
      if (Object.hasOwn(agents, agent)) continue;
      const where = whereOf(["access", "policies", index, "agents", place]);
      log.warn({ agent, where }, "a policy names an agent that is not configured");
    }
}

/** An agent with a port of its own may be added while the gateway runs. */
function warnOfCertificates({ access, agents, ops, tls, whereOf }: Config, log: Log): void {
  const index = access.authenticators.findIndex(({ mtls }) => mtls !== undefined);
  const listeners = [tls, ops.tls, ...Object.values(agents).map((agent) => agent.tls)];
  if (index === -1 || listeners.some(asksForCertificates)) return;
  const where = whereOf(["access", "authenticators", index, "mtls"]);
  log.warn({ where }, "no listener asks for certificates: mtls recognises nobody");
}

function asksForCertificates(tls: TlsConfig | undefined): boolean {
  return tls !== undefined && tls.clientCertificates !== "off";
}
