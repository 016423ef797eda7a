/** The definition of an agent in a YAML file: of that agent alone, or in a configuration that has just this one. */
import { text as textOfStream } from "node:stream/consumers";
import { ENVIRONMENT } from "../config/environment.ts";
import { ConfigError } from "../config/errors.ts";
import { pathOf, pathText } from "../config/path.ts";
import { readSource, type Source } from "../config/source.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isObject } from "../wire/schema/objects.ts";
import { CommandError, EXIT } from "./exit.ts";
import { textOf } from "./json-file.ts";
import { plainWord } from "./plain-text.ts";

export interface WrittenAgent {
  readonly id: string;
  /** Variables are filled in from the environment of this command. */
  readonly definition: JsonObject;
  /** `file:line:column: path` of what stands at a path in the definition. */
  readonly placeOf: (path: string) => string;
}

/**
 * Reads a file, or standard input for `-`. The id may be left out for a configuration. Throws a ConfigError for what is
 * not YAML and for variables that are not set, a CommandError for everything else.
 */
export async function definitionIn(file: string, id: string | undefined): Promise<WrittenAgent> {
  const isInput = file === "-";
  const name = isInput ? "standard input" : file;
  const source = readSource(
    isInput ? await textOfStream(process.stdin) : await textOf(file),
    name,
    ENVIRONMENT,
  );
  const isWhole = isObject(source.value) && "agents" in source.value;
  const found = isWhole ? onlyAgent(source, name) : { path: [], value: source.value };
  const known = id ?? found.path.at(-1);
  if (known === undefined)
    throw new CommandError(`${name}: expected an id for the agent in it`, EXIT.usage);
  const prefix = pathText(found.path);
  const problems = source.problems.filter(({ path }) => path.startsWith(prefix));
  if (problems.length > 0) throw new ConfigError(problems);
  if (!isObject(found.value)) throw new CommandError(`${name}: expected a mapping`);
  return {
    id: known,
    definition: found.value as JsonObject,
    placeOf: (path) => plainWord(placeIn(source, [...found.path, ...pathOf(path)])),
  };
}

function onlyAgent(source: Source, name: string) {
  const ids = source.keysAt(["agents"]);
  const [id] = ids;
  if (id === undefined || ids.length > 1)
    throw new CommandError(`${name}: expected exactly one agent in agents, got ${ids.length}`);
  const { agents } = source.value as { readonly agents: Readonly<Record<string, unknown>> };
  return { path: ["agents", id], value: agents[id] };
}

function placeIn(source: Source, path: ReturnType<typeof pathOf>): string {
  const text = pathText(path);
  return text === "" ? source.whereOf(path) : `${source.whereOf(path)}: ${text}`;
}
