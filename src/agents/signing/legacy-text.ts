/**
 * The text of a card that a2a-sdk 0.3 signs and verifies: the members of 0.3 that differ from their defaults, without
 * what is empty, with sorted names, and as Python writes JSON. The specification of 0.3 leaves the text open.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isList } from "./is-list.ts";
import { withoutEmpty } from "./without-empty.ts";

export function legacyText(card: JsonObject): string {
  const { preferredTransport, protocolVersion, ...others } = picked(card, CARD) as JsonObject;
  return pythonText(
    withoutEmpty({
      ...others,
      ...(preferredTransport !== "JSONRPC" && preferredTransport && { preferredTransport }),
      ...(protocolVersion !== "0.3.0" && protocolVersion && { protocolVersion }),
    }) ?? {},
  );
}

/** Which members are known; of "*", all, each with the same members. */
interface Members {
  readonly [name: string]: Members | "whole";
}

const EXTENSION = membersOf("uri", "description", "required", "params");
const FLOW = membersOf("authorizationUrl", "refreshUrl", "scopes", "tokenUrl");

/** The `type` is not among them: each kind of scheme has its own as the default. */
const SCHEME: Members = {
  ...membersOf("description", "in", "name", "bearerFormat", "scheme"),
  ...membersOf("oauth2MetadataUrl", "openIdConnectUrl"),
  flows: { authorizationCode: FLOW, clientCredentials: FLOW, implicit: FLOW, password: FLOW },
};

const CARD: Members = {
  ...membersOf("name", "description", "version", "url", "preferredTransport", "protocolVersion"),
  ...membersOf("documentationUrl", "iconUrl", "defaultInputModes", "defaultOutputModes"),
  ...membersOf("security", "supportsAuthenticatedExtendedCard"),
  additionalInterfaces: membersOf("url", "transport"),
  capabilities: {
    ...membersOf("streaming", "pushNotifications", "stateTransitionHistory"),
    extensions: EXTENSION,
  },
  provider: membersOf("organization", "url"),
  securitySchemes: { "*": SCHEME },
  skills: {
    ...membersOf("id", "name", "description", "tags", "examples"),
    ...membersOf("inputModes", "outputModes", "security"),
  },
};

function membersOf(...names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, "whole"]));
}

function picked(value: JsonValue, members: Members | "whole"): JsonValue {
  if (members === "whole" || typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => picked(item, members));
  const known = Object.entries(value).flatMap(([name, member]) => {
    const inner = members["*"] ?? (Object.hasOwn(members, name) ? members[name] : undefined);
    return inner === undefined ? [] : [[name, picked(member, inner)] as const];
  });
  return Object.fromEntries(known);
}

/** `json.dumps(value, sort_keys=True, separators=(",", ":"))` */
function pythonText(value: JsonValue): string {
  if (typeof value === "string") return asciiText(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(pythonText).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${asciiText(name)}:${pythonText(member)}`).join(",")}}`;
}

function asciiText(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Python takes to exponents earlier for small numbers, and writes them with two digits. */
function numberText(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-4) return JSON.stringify(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}
