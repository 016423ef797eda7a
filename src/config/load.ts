/** YAML and environment in, a checked configuration out. */
import { dirname, resolve } from "node:path";
import type { Config } from "./config.ts";
import { DEFAULT_CONFIG } from "./default.ts";
import {
  databaseFile,
  ENVIRONMENT,
  overridesOf,
  type Environment,
  type Override,
} from "./environment.ts";
import { ConfigError, type Problem } from "./errors.ts";
import type { WrittenHandler } from "./handler-problem.ts";
import { HANDLER_KINDS, HANDLER_SCHEMAS } from "./handlers/index.ts";
import { problemsOf } from "./problems.ts";
import { configSchema } from "./schema.ts";
import type { JsonObject } from "../protocol/json.ts";
import { readSource } from "./source.ts";
import { textOfFile } from "../text-file.ts";

/** The configuration in a file, or the echo agent's without one. Throws a ConfigError that names every problem. */
export async function loadConfig(
  path: string | undefined,
  env: Environment = ENVIRONMENT,
): Promise<Config> {
  if (path === undefined) return parseConfig(DEFAULT_CONFIG, "default", env);
  return parseConfig(await textOf(path), path, env);
}

/** As `loadConfig`; `name` stands for the file in errors, and its folder is where relative paths start. */
export function parseConfig(text: string, name: string, env: Environment = ENVIRONMENT): Config {
  const { config, problems } = reading(text, name, env);
  if (config === undefined) throw new ConfigError(problems);
  return config;
}

/** Everything that can be said of a configuration, right or wrong. */
export interface Reading {
  /** In the order of lines; none where there is a configuration. */
  readonly problems: readonly Problem[];
  readonly config: Config | undefined;
  /** Those that are right in themselves, whatever is wrong around them. */
  readonly handlers: readonly WrittenHandler[];
  readonly baseDir: string;
  readonly whereOf: Config["whereOf"];
}

/** As `loadConfig`, for somebody who looks further than the first faults. Throws a ConfigError when it is not YAML. */
export async function readConfig(path: string, env: Environment = ENVIRONMENT): Promise<Reading> {
  return reading(await textOf(path), path, env);
}

function reading(text: string, name: string, env: Environment): Reading {
  const source = readSource(text, name, env);
  const overrides = overridesOf(env);
  const value = overrides.reduce(withOverride, source.value);
  const result = configSchema.safeParse(value);
  const problems = [
    ...source.problems,
    ...problemsOf(result.error?.issues ?? [], {
      schema: configSchema,
      source,
      overrides,
      value,
    }).filter(({ path }) => !source.problems.some((known) => known.path === path)),
  ];
  const baseDir = dirname(resolve(name));
  const { whereOf } = source;
  const found = { problems: inOrder(problems), handlers: handlersIn(value), baseDir, whereOf };
  if (!result.success || problems.length > 0) return { ...found, config: undefined };

  const { data } = result;
  // Not of the values: objects put names that are numbers before all others.
  const [first = ""] = source.keysAt(["agents"]);
  const database = databaseFile(data.database, baseDir);
  const definitionOf = (agent: string) => source.written(["agents", agent]) as JsonObject;
  const primary = data.primary ?? first;
  const config = { ...data, baseDir, whereOf, definitionOf, database, primary };
  return { ...found, config };
}

function handlersIn(value: unknown): readonly WrittenHandler[] {
  const agents = Object.entries(membersOf(membersOf(value)["agents"]));
  return agents.flatMap(([agent, settings]) => {
    const written = membersOf(settings);
    return HANDLER_KINDS.flatMap((kind) => {
      const { data: handler } = HANDLER_SCHEMAS[kind].safeParse(written[kind]);
      return handler === undefined ? [] : [{ agent, handler }];
    });
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

async function textOf(path: string): Promise<string> {
  try {
    return await textOfFile(path);
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError([{ where: "", path: "", what }], { cause });
  }
}

/** The values with one of them set from outside; what is not a mapping is left for the check to refuse. */
function withOverride(value: unknown, { path, value: setting }: Override): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return setting;
  if (value !== undefined && (typeof value !== "object" || value === null || Array.isArray(value)))
    return value;
  const inner: unknown = value === undefined ? undefined : Reflect.get(value, key);
  return { ...value, [key]: withOverride(inner, { path: rest, value: setting, origin: "" }) };
}

/** By the place that they name. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => {
    const [line, column] = placeOf(a);
    const [otherLine, otherColumn] = placeOf(b);
    return line - otherLine || column - otherColumn;
  });
}

function placeOf({ where }: Problem): readonly [line: number, column: number] {
  const [, line, column] = /:(\d+):(\d+)$/.exec(where) ?? [];
  return [Number(line ?? 0), Number(column ?? 0)];
}
