/** YAML and environment in, a checked configuration out. */
import { readFile } from "node:fs/promises";
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
import { ConfigError } from "./errors.ts";
import { problemsOf } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { readSource } from "./source.ts";

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
  if (!result.success || problems.length > 0) throw new ConfigError(inOrder(problems));

  const baseDir = dirname(resolve(name));
  const [first = ""] = Object.keys(result.data.agents);
  return {
    ...result.data,
    baseDir,
    database: databaseFile(result.data.database, baseDir),
    primary: result.data.primary ?? first,
  };
}

async function textOf(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    const what = thrown instanceof TypeError ? "not UTF-8 text" : reasonOf(thrown);
    throw new ConfigError([{ where: path, path: "", what }], { cause: thrown });
  }
}

function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return code === "ENOENT" ? "no such file" : `cannot be read (${String(code ?? thrown)})`;
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

function inOrder<T extends { readonly where: string }>(problems: readonly T[]): readonly T[] {
  return [...problems].sort((a, b) => lineOf(a.where) - lineOf(b.where));
}

function lineOf(where: string): number {
  return Number(/:(\d+):\d+$/.exec(where)?.[1] ?? 0);
}
