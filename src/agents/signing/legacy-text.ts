/**
 * The text of a card that a2a-sdk 0.3 signs and verifies: the members of 0.3 that differ from their defaults, without
 * what is empty, with sorted names, and as Python writes JSON. The specification of 0.3 leaves the text open.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../../wire/schema/objects.ts";
import { isList } from "./is-list.ts";
import { withoutEmpty } from "./without-empty.ts";

/** Throws for a card with a member that is not what 0.3 has there. */
export function legacyText(card: JsonObject): string {
  const { preferredTransport, protocolVersion, ...others } = membersOf(card, CARD, "");
  return pythonText(
    withoutEmpty({
      ...others,
      ...(preferredTransport !== "JSONRPC" && preferredTransport && { preferredTransport }),
      ...(protocolVersion !== "0.3.0" && protocolVersion && { protocolVersion }),
    }) ?? {},
  );
}

/** What a member is: a value of a kind, a mapping, or a list of mappings. */
type Shape = Kind | Members | readonly [Members];

/** Which members are known; of "*", all, each alike. */
interface Members {
  readonly [name: string]: Shape;
}

const KINDS = {
  text: isText,
  "true or false": (value: JsonValue) => typeof value === "boolean",
  "a list of texts": isTexts,
  "a mapping of texts": (value: JsonValue) => isMapping(value, isText),
  "a list of security requirements": (value: JsonValue) =>
    isList(value) && value.every((each) => isMapping(each, isTexts)),
  data: () => true,
} as const satisfies Readonly<Record<string, (value: JsonValue) => boolean>>;

type Kind = keyof typeof KINDS;

const EXTENSION = {
  ...each("text", "uri", "description"),
  required: "true or false",
  params: "data",
} as const;

const FLOW = {
  ...each("text", "authorizationUrl", "refreshUrl", "tokenUrl"),
  scopes: "a mapping of texts",
} as const;

/** The `type` is not among them: each kind of scheme has its own as the default. */
const SCHEME: Members = {
  ...each("text", "description", "in", "name", "bearerFormat", "scheme"),
  ...each("text", "oauth2MetadataUrl", "openIdConnectUrl"),
  flows: { authorizationCode: FLOW, clientCredentials: FLOW, implicit: FLOW, password: FLOW },
};

const CARD: Members = {
  ...each("text", "name", "description", "version", "url", "preferredTransport"),
  ...each("text", "protocolVersion", "documentationUrl", "iconUrl"),
  ...each("a list of texts", "defaultInputModes", "defaultOutputModes"),
  security: "a list of security requirements",
  supportsAuthenticatedExtendedCard: "true or false",
  additionalInterfaces: [each("text", "url", "transport")],
  capabilities: {
    ...each("true or false", "streaming", "pushNotifications", "stateTransitionHistory"),
    extensions: [EXTENSION],
  },
  provider: each("text", "organization", "url"),
  securitySchemes: { "*": SCHEME },
  skills: [
    {
      ...each("text", "id", "name", "description"),
      ...each("a list of texts", "tags", "examples", "inputModes", "outputModes"),
      security: "a list of security requirements",
    },
  ],
};

function each(kind: Kind, ...names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

function membersOf(value: JsonValue, members: Members, path: string): JsonObject {
  if (!isObject(value)) throw new Error(`${path}: expected a mapping`);
  const known = Object.entries(value as JsonObject).flatMap(([name, member]) => {
    const shape = members["*"] ?? (Object.hasOwn(members, name) ? members[name] : undefined);
    if (shape === undefined) return [];
    return [[name, picked(member, shape, path === "" ? name : `${path}.${name}`)] as const];
  });
  return Object.fromEntries(known);
}

/** Null is as good as nothing. */
function picked(value: JsonValue, shape: Shape, path: string): JsonValue {
  if (value === null) return null;
  if (typeof shape === "string") {
    if (!KINDS[shape](value)) throw new Error(`${path}: expected ${shape}`);
    return value;
  }
  if (!isEach(shape)) return membersOf(value, shape, path);
  if (!isList(value)) throw new Error(`${path}: expected a list`);
  return value.map((item, place) => membersOf(item, shape[0], `${path}[${place}]`));
}

function isEach(shape: Members | readonly [Members]): shape is readonly [Members] {
  return Array.isArray(shape);
}

function isText(value: JsonValue): boolean {
  return typeof value === "string";
}

function isTexts(value: JsonValue): boolean {
  return isList(value) && value.every(isText);
}

function isMapping(value: JsonValue, isMember: (member: JsonValue) => boolean): boolean {
  return isObject(value) && Object.values(value as JsonObject).every(isMember);
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
