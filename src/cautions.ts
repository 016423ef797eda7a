/** What is allowed, and yet may be a slip of the pen. */
import type { Config } from "./config/config.ts";
import type { TlsConfig } from "./config/tls.ts";
import { isLoopback } from "./loopback.ts";

export interface Caution {
  /** The file, line and column of the setting. */
  readonly where: string;
  readonly text: string;
  /** What the text speaks of. */
  readonly about: string;
}

/** Of who is let in. */
export function accessCautions(config: Config): readonly Caution[] {
  if (config.access.mode === "off") return openDoors(config);
  return [...unknownAgents(config), ...nobodys(config), ...blindCertificates(config)];
}

/** A certificate that is asked for keeps others out as well. */
function openDoors({ listen, grpcListen, tls, whereOf }: Config): readonly Caution[] {
  if (tls?.clientCertificates === "required") return [];
  const text = "access.mode is off: whoever reaches this address may call every agent";
  return Object.entries({ listen, grpcListen }).flatMap(([name, address]): readonly Caution[] =>
    address === undefined || isLoopback(address.host)
      ? []
      : [{ where: whereOf([name]), text, about: address.host }],
  );
}

/** Agents come and go while the gateway runs, so that this may be right. */
function unknownAgents({ access, agents, whereOf }: Config): readonly Caution[] {
  return access.policies.flatMap((policy, index) =>
    (policy.agents ?? []).flatMap((agent, place): readonly Caution[] => {
      if (Object.hasOwn(agents, agent)) return [];
      const where = whereOf(["access", "policies", index, "agents", place]);
      return [{ where, text: "a policy names an agent that is not configured", about: agent }];
    }),
  );
}

/** Where credentials are required, whoever has none is refused before a policy is asked. */
function nobodys({ access, whereOf }: Config): readonly Caution[] {
  if (access.mode !== "required") return [];
  return access.policies.flatMap(({ who, effect }, index): readonly Caution[] => {
    if (who.anonymous !== true || effect === "deny") return [];
    const where = whereOf(["access", "policies", index, "who", "anonymous"]);
    return [{ where, text: "a policy is for callers that are refused", about: "anonymous" }];
  });
}

/** An agent with a port of its own may be added while the gateway runs. */
function blindCertificates({ access, agents, ops, tls, whereOf }: Config): readonly Caution[] {
  const index = access.authenticators.findIndex(({ mtls }) => mtls !== undefined);
  const listeners = [tls, ops.tls, ...Object.values(agents).map((agent) => agent.tls)];
  if (index === -1 || listeners.some(asksForCertificates)) return [];
  const where = whereOf(["access", "authenticators", index, "mtls"]);
  return [{ where, text: "no listener asks for certificates", about: "mtls" }];
}

function asksForCertificates(tls: TlsConfig | undefined): boolean {
  return tls !== undefined && tls.clientCertificates !== "off";
}
