/** Who is in the fleet: agents in their order, enabled and disabled, and what is to be opened and closed between two of them. */
import { isSame } from "./change.ts";
import type { Definition, Member } from "./member.ts";

export interface Roll {
  /** Those of the configuration first, in its order; then those that were added, in theirs. */
  readonly definitions: readonly Definition[];
  readonly disabled: ReadonlySet<string>;
  /** The id of an agent of the configuration that is enabled. */
  readonly primary: string;
}

export interface Steps {
  /** Agents that are served now and stay as they are. */
  readonly kept: readonly Member[];
  readonly toOpen: readonly Definition[];
  readonly toClose: readonly Member[];
}

/** What leads from the members that are served to those that a roll wants served. */
export function stepsTo(roll: Roll, served: ReadonlyMap<string, Member>): Steps {
  const wanted = roll.definitions.filter(({ id }) => !roll.disabled.has(id));
  const kept = wanted.flatMap((definition) => {
    const member = served.get(definition.id);
    return member && isSame(member, definition) ? [member] : [];
  });
  const stays = new Set(kept);
  const keptIds = new Set(kept.map(({ id }) => id));
  return {
    kept,
    toOpen: wanted.filter(({ id }) => !keptIds.has(id)),
    toClose: [...served.values()].filter((member) => !stays.has(member)),
  };
}
