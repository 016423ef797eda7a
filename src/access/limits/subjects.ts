/** Who is counted: networks, principals and agents, each with the key that it is counted by. */
import type { Entry } from "../../core/ports/call-limits.ts";
import { networkOf } from "../../network.ts";

export interface Subject {
  readonly kind: "address" | "principal" | "agent";
  /** Different for any two that are counted apart. */
  readonly key: string;
  /** As the log names it. */
  readonly who: object;
}

export function addressSubject(address: string): Subject {
  return { kind: "address", key: networkOf(address), who: { address } };
}

/**
 * Whoever is not known is counted by address: in one bucket for all of them, one could empty it for the others. No id
 * and no tenant has a control character in it, so that no two keys are alike.
 */
export function principalSubject({ principal, address }: Entry["call"]): Subject {
  const { id, tenant, method } = principal;
  if (method === "anonymous" || method === "none")
    return { kind: "principal", key: `\0\0${networkOf(address)}`, who: { address } };
  return { kind: "principal", key: `${tenant}\0${id}`, who: { tenant, principal: id } };
}

export function agentSubject({ id }: Entry["agent"]): Subject {
  return { kind: "agent", key: id, who: { agent: id } };
}
