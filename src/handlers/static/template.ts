/** Texts with `{{variables}}`, taken apart when the handler is created. */
import type { JsonValue } from "../../protocol/json.ts";
import { SettingError } from "../../setting-error.ts";
import { fixed, listOf, made, objectOf, type Context, type Rendered } from "./rendered.ts";

/** Where a template stands: its path in the configuration, and the regular expression of its rule. */
export interface Place {
  readonly path: string;
  readonly groups: ReadonlySet<string>;
}

type Variable = (context: Context) => string;

const VARIABLES: ReadonlyMap<string, Variable> = new Map<string, Variable>([
  ["text", ({ text }) => text],
  ["messageId", ({ turn }) => turn.message.messageId],
  ["contextId", ({ turn }) => turn.contextId],
  ["taskId", ({ turn }) => turn.taskId],
]);

/** Throws an Error that names the place and the variable which is not there. */
export function template(source: string, place: Place): Rendered<string> {
  const pieces = piecesOf(source, place);
  if (pieces.every((piece) => typeof piece === "string")) return fixed(pieces.join(""));
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === "function") return made(only);
  return made((context) => {
    let text = "";
    for (const piece of pieces) text += typeof piece === "string" ? piece : piece(context);
    return text;
  });
}

/** JSON whose texts are templates; the names of members are not. */
export function jsonTemplate(value: JsonValue, place: Place): Rendered<JsonValue> {
  if (typeof value === "string") return template(value, place);
  if (typeof value !== "object" || value === null) return fixed(value);
  if (isList(value)) return listOf(value.map((element) => jsonTemplate(element, place)));
  const members = Object.entries(value).map(([name, inner]) => [name, jsonTemplate(inner, place)]);
  return objectOf<{ [name: string]: JsonValue }>(Object.fromEntries(members));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function piecesOf(source: string, place: Place): readonly (string | Variable)[] {
  const pieces: (string | Variable)[] = [];
  let end = 0;
  for (const found of source.matchAll(/\\\{\{|\{\{([^{}]*)\}\}/g)) {
    if (found.index > end) pieces.push(source.slice(end, found.index));
    const [whole, name] = found;
    pieces.push(name === undefined ? "{{" : variableOf(name.trim(), place));
    end = found.index + whole.length;
  }
  if (end < source.length) pieces.push(source.slice(end));
  return pieces;
}

function variableOf(name: string, place: Place): Variable {
  const variable = VARIABLES.get(name);
  if (variable !== undefined) return variable;
  const [root, ...path] = name.split(".");
  const [group] = path;
  if (root === "data" && path.every((step) => step !== "")) return dataVariable(path);
  if (root === "match" && path.length === 1 && group !== undefined && place.groups.has(group))
    return matchVariable(group);
  throw new SettingError(place.path, `no variable "${name}"`);
}

function matchVariable(group: string): Variable {
  if (/^\d+$/.test(group)) {
    const index = Number(group);
    return ({ match }) => match?.[index] ?? "";
  }
  return ({ match }) => match?.groups?.[group] ?? "";
}

function dataVariable(path: readonly string[]): Variable {
  return ({ turn }) => {
    for (const part of turn.message.parts) {
      const value = part.data === undefined ? undefined : valueAt(part.data, path);
      if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
    }
    return "";
  };
}

function valueAt(data: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as { readonly [name: string]: JsonValue })[step];
  }
  return value;
}
