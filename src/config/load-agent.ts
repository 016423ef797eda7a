/** The definition of an agent that comes in while the gateway runs. */
import type { JsonObject } from "../protocol/json.ts";
import { ConfigError } from "./errors.ts";
import { problemsOf } from "./problems.ts";
import { agentsSchema, type AgentConfig } from "./schema.ts";
import { readSource } from "./source.ts";

/**
 * Checks what would stand below an agent's id in a configuration file; nothing of it is taken from the environment, so
 * `${NAME}` is plain text. Throws a ConfigError that names every problem, each with its path below the id.
 */
export function parseAgent(id: string, definition: JsonObject): AgentConfig {
  const value = { [id]: definition };
  const text = JSON.stringify(value).replaceAll("${", () => "$${");
  const source = readSource(text, id, {});
  const result = agentsSchema.safeParse(value);
  const agent = result.data?.[id];
  if (agent !== undefined) return agent;
  const issues = result.error?.issues ?? [];
  const problems = problemsOf(issues, { schema: agentsSchema, source, overrides: [], value });
  throw new ConfigError(
    problems.map((each) => ({ ...each, where: "", path: below(id, each.path) })),
  );
}

function below(id: string, path: string): string {
  return path === id ? "" : path.startsWith(`${id}.`) ? path.slice(id.length + 1) : path;
}
