/** What a configuration that was read again changes. */
import type { Config } from "../config/config.ts";
import type { Reloaded } from "../core/ports/agent-control.ts";
import type { Definition, Listed } from "./member.ts";

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
export function isSame(a: Listed, b: Listed): boolean {
  return a.origin === b.origin && JSON.stringify(a.config) === JSON.stringify(b.config);
}

/** The agents that are there after a change and were not before, those that are others, and those that are gone. */
export function changesOf(
  before: readonly Listed[],
  after: readonly Listed[],
): Omit<Reloaded, "later"> {
  const known = new Map(before.map((listed) => [listed.id, listed]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const listed of after) {
    const earlier = known.get(listed.id);
    if (earlier === undefined) added.push(listed.id);
    else if (!isSame(earlier, listed)) changed.push(listed.id);
    known.delete(listed.id);
  }
  return { added, changed, removed: [...known.keys()] };
}

/** What of a configuration counts only from the start on, and differs: the names of its settings. */
export function laterOf(running: Config, next: Config): readonly string[] {
  const { agents: _, primary: __, ...rest } = next;
  return Object.entries(rest)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(running, name)))
    .map(([name]) => name);
}
