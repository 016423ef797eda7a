/** What the doors ask about the agents: whether there is one, and which versions it offers where. */
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import type { AgentSettings } from "./settings.ts";

export interface DirectoryInput {
  readonly agents: Readonly<Record<string, Pick<AgentSettings, "v03">>>;
  /** The id of one of them. */
  readonly primary: string;
}

/** Answers with the same list for the same question: it is asked at every call. */
export function directoryOf({ agents, primary }: DirectoryInput) {
  const known = new Map(Object.entries(agents).map(([id, { v03 }]) => [id, new Set(v03)]));
  return {
    has: (agent: string): boolean => known.has(agent),
    versionsOf(agent: string | undefined, binding: ProtocolBinding): readonly string[] {
      const older = known.get(agent ?? primary);
      return older === undefined || older.has(binding) ? BOTH : NEWEST;
    },
  };
}

const BOTH: readonly string[] = ["1.0", "0.3"];
const NEWEST: readonly string[] = ["1.0"];
