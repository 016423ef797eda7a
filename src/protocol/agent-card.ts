/** The agent card of A2A 1.0 (spec 4.4 and 4.5), in its ProtoJSON shape. */
import type { JsonObject } from "./json.ts";

export type ProtocolBinding = "JSONRPC" | "HTTP+JSON" | "GRPC";

export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly tenant?: string;
  readonly protocolVersion: string;
}

export interface AgentProvider {
  readonly url: string;
  readonly organization: string;
}

export interface AgentExtension {
  readonly uri?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly params?: JsonObject;
}

export interface AgentCapabilities {
  readonly streaming?: boolean;
  readonly pushNotifications?: boolean;
  readonly extensions?: readonly AgentExtension[];
  readonly extendedAgentCard?: boolean;
}

export interface SecurityRequirement {
  readonly schemes?: { readonly [scheme: string]: { readonly list?: readonly string[] } };
}

export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
  readonly securityRequirements?: readonly SecurityRequirement[];
}

export interface AgentCardSignature {
  readonly protected: string;
  readonly signature: string;
  readonly header?: JsonObject;
}

/** One of the five scheme members is there (spec 4.5.1). */
export interface SecurityScheme {
  readonly apiKeySecurityScheme?: JsonObject;
  readonly httpAuthSecurityScheme?: JsonObject;
  readonly oauth2SecurityScheme?: JsonObject;
  readonly openIdConnectSecurityScheme?: JsonObject;
  readonly mtlsSecurityScheme?: JsonObject;
}

export interface AgentCard {
  readonly name: string;
  readonly description: string;
  readonly supportedInterfaces: readonly AgentInterface[];
  readonly provider?: AgentProvider;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: AgentCapabilities;
  readonly securitySchemes?: { readonly [name: string]: SecurityScheme };
  readonly securityRequirements?: readonly SecurityRequirement[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly AgentSkill[];
  readonly signatures?: readonly AgentCardSignature[];
  readonly iconUrl?: string;
}
