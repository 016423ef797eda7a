/** The doors of an agent, as its card lists them. */
import type { AgentInterface, ProtocolBinding } from "../protocol/agent-card.ts";
import {
  addressesOf,
  type AddressSettings,
  type Listening,
  type PublicAddress,
  type Reached,
} from "./addresses.ts";
import type { AgentSettings } from "./settings.ts";

/** What a card says of the way to its agent. */
export interface Location {
  readonly interfaces: readonly AgentInterface[];
  /** Where the keys are that the card is signed with. */
  readonly keySetUrl: string;
  /** False while the listeners are not all open: it may still change. */
  readonly isFinal: boolean;
}

/** Of an agent that is there. */
export type LocationOf = (agent: string, reached?: Reached) => Location;

type DoorSettings = Pick<AgentSettings, "v03" | "preferredBinding" | "publicUrl">;

export interface LocationSettings extends AddressSettings {
  readonly agents: Readonly<Record<string, DoorSettings>>;
  readonly v03: {
    /** Whether gRPC addresses of 0.3 have a scheme. */
    readonly grpcScheme: boolean;
  };
}

export function locationsOf(settings: LocationSettings, listening: () => Listening): LocationOf {
  const addressOf = addressesOf(settings, listening);
  return (agent, reached) => {
    const own = settings.agents[agent];
    if (own === undefined) throw new Error(`there is no agent ${agent}`);
    const address = addressOf(agent, reached);
    return {
      interfaces: interfacesOf(agent, own, address, settings.v03.grpcScheme),
      keySetUrl: `${address.rootUrl}/.well-known/jwks.json`,
      isFinal: listening().isFinal,
    };
  };
}

/** Those of 1.0, then those of 0.3; of each version the agent's preferred binding first (spec 8.3.1). */
function interfacesOf(
  agent: string,
  { v03, preferredBinding }: DoorSettings,
  address: PublicAddress,
  hasScheme: boolean,
): readonly AgentInterface[] {
  const { rootUrl, baseUrl, grpcTarget, isRoot } = address;
  const bindings = [preferredBinding, ...BINDINGS.filter((each) => each !== preferredBinding)];
  return [
    ...bindings.map((protocolBinding) => {
      const isGrpc = protocolBinding === "GRPC";
      const url = isGrpc ? grpcTarget : baseUrl;
      // Where the agent is alone, there is nobody to be told from.
      const tenant = isGrpc && baseUrl !== rootUrl ? { tenant: agent } : undefined;
      return { url, protocolBinding, ...tenant, protocolVersion: "1.0" };
    }),
    ...bindings
      .filter((binding) => v03.includes(binding))
      // The messages of 0.3 have no field for the agent: its address alone must lead to it.
      .filter((binding) => binding !== "GRPC" || isRoot)
      .map((protocolBinding) => {
        const { protocol } = new URL(rootUrl);
        const target = hasScheme ? `${protocol}//${grpcTarget}` : grpcTarget;
        const url = protocolBinding === "GRPC" ? target : baseUrl;
        return { url, protocolBinding, protocolVersion: "0.3" };
      }),
  ];
}

const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];
