/** The doors of an agent, as its card lists them. */
import type { AgentInterface, ProtocolBinding } from "../protocol/agent-card.ts";
import { addressOf, type Listening, type PublicAddress, type Reached } from "./addresses.ts";
import type { AgentSettings } from "./settings.ts";

/** What a card says of the way to its agent. */
export interface Location {
  readonly interfaces: readonly AgentInterface[];
  /** Where the card is. */
  readonly cardUrl: string;
  /** Where the keys are that the card is signed with. */
  readonly keySetUrl: string;
  /** The same object as long as nothing of the above has changed, for any agent. */
  readonly era: object;
}

/** Of an agent that is there. */
export type LocationOf = (agent: string, reached?: Reached) => Location;

type DoorSettings = Pick<AgentSettings, "v03" | "preferredBinding" | "publicUrl">;

export interface LocationSettings {
  readonly publicUrl?: string;
  readonly v03: {
    /** Whether gRPC addresses of 0.3 have a scheme. */
    readonly grpcScheme: boolean;
  };
}

/** Where things are at a time; another object after each change. */
export interface Situation {
  readonly listening: Listening;
  /** The id of the agent that is served at the root. */
  readonly primary: string;
  readonly agents: ReadonlyMap<string, { readonly settings: DoorSettings }>;
}

export function locationsOf(settings: LocationSettings, situation: () => Situation): LocationOf {
  const { publicUrl } = settings;
  return (agent, reached) => {
    const era = situation();
    const { listening, primary } = era;
    const own = era.agents.get(agent)?.settings;
    if (own === undefined) throw new Error(`there is no agent ${agent}`);
    const ownUrl = own.publicUrl;
    const address = addressOf({ agent, primary, publicUrl, ownUrl, listening, reached });
    return {
      interfaces: interfacesOf(agent, own, address, settings.v03.grpcScheme),
      cardUrl: `${address.baseUrl}/.well-known/agent-card.json`,
      keySetUrl: `${address.rootUrl}/.well-known/jwks.json`,
      era,
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
