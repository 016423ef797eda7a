/** What a configuration that was read again changes. */
import type { Config } from "../config/config.ts";
import type { Definition } from "./member.ts";

/** The agents of a configuration. */
export function definitionsOf(config: Config): readonly Definition[] {
  return Object.entries(config.agents).map(([id, agent]) => ({
    id,
    origin: "configured",
    config: agent,
    written: config.definitionOf(id),
  }));
}

/** Whether two definitions serve the same agent. A variable of the environment counts by what it holds. */
export function isSame(a: Definition, b: Definition): boolean {
  return a.origin === b.origin && JSON.stringify(a.config) === JSON.stringify(b.config);
}

/** What of a configuration counts only from the start on, and differs: the names of its settings. */
export function laterOf(running: Config, next: Config): readonly string[] {
  const { agents: _, primary: __, ...rest } = next;
  return Object.entries(rest)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(running, name)))
    .map(([name]) => name);
}
