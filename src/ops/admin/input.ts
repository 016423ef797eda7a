/** What a request says, read by the parameters that its route has; everything that is wrong is named at once. */
import type { JsonObject } from "../../protocol/json.ts";
import { invalid, type Problem } from "./failure.ts";
import type { Parameter, Parameters } from "./parameter.ts";

/** Each parameter's value, undefined where it is absent. */
export type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: (P[K] extends Parameter<infer T> ? T : never) | undefined;
};

/** The values of a path, in which no parameter is ever absent. */
export type PathValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** How a route reads a body, and how that is described. */
export interface Body<B> {
  readonly json: JsonObject;
  readonly isRequired: boolean;
  /** Throws INVALID_PARAMS with every problem. `body` is undefined where there is none. */
  read(body: unknown): B;
}

export function pathValuesOf<P extends Parameters>(
  parameters: P,
  segments: Readonly<Record<string, string>>,
): PathValuesOf<P> {
  return valuesOf(parameters, Object.entries(segments)) as PathValuesOf<P>;
}

export function queryValuesOf<P extends Parameters>(parameters: P, query: string): ValuesOf<P> {
  return valuesOf(parameters, [...new URLSearchParams(query)]) as ValuesOf<P>;
}

/** A body that is an object of values, each of which may be absent, as may the body. */
export function bodyOf<P extends Parameters>(parameters: P): Body<ValuesOf<P>> {
  const properties = Object.entries(parameters).map(([name, { json, description }]) => [
    name,
    { ...json, description },
  ]);
  return {
    json: {
      type: "object",
      properties: Object.fromEntries(properties) as JsonObject,
      additionalProperties: false,
    },
    isRequired: false,
    read(body) {
      const members = body === undefined ? [] : Object.entries(objectOf(body));
      const problems = members.flatMap(([path, value]) => typeProblem(path, parameters, value));
      if (problems.length > 0) throw invalid(problems);
      const texts = members.map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      return valuesOf(parameters, texts) as ValuesOf<P>;
    },
  };
}

/** A body that somebody else reads: any object. */
export function objectBody(description: string): Body<JsonObject> {
  return {
    json: { type: "object", description },
    isRequired: true,
    read(body) {
      if (body === undefined) throw invalid([{ path: "body", what: "is missing" }]);
      return objectOf(body);
    },
  };
}

/** A body that is not there, or is empty. */
export const NO_BODY = bodyOf({});

function objectOf(body: unknown): JsonObject {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalid([{ path: "body", what: "must be a JSON object" }]);
  return body as JsonObject;
}

/** Unknown members are named later, with what else is wrong with the texts. */
function typeProblem(path: string, parameters: Parameters, value: unknown): readonly Problem[] {
  const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
  if (parameter === undefined || typeof value === TYPES[parameter.json.type]) return [];
  return [{ path, what: `must be of type ${parameter.json.type}` }];
}

const TYPES = { string: "string", integer: "number" } as const;

function valuesOf(
  parameters: Parameters,
  texts: readonly (readonly [string, string])[],
): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>();
  const problems: Problem[] = [];
  for (const [path, text] of texts) {
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    if (parameter === undefined) problems.push({ path, what: "is not known here" });
    else if (values.has(path)) problems.push({ path, what: "is given more than once" });
    else {
      const read = parameter.read(text);
      if ("problem" in read) problems.push({ path, what: read.problem });
      values.set(path, "value" in read ? read.value : undefined);
    }
  }
  if (problems.length > 0) throw invalid(problems);
  return Object.fromEntries(values);
}
