/** What the doors ask about the agents: whether there is one, and which versions it offers where. */
import { isIP } from "node:net";
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import type { AgentSettings } from "./settings.ts";

export interface DirectoryInput {
  readonly agents: Readonly<Record<string, Pick<AgentSettings, "v03" | "publicUrl">>>;
  /** The id of one of them. */
  readonly primary: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
}

/** Answers with the same list for the same question: it is asked at every call. */
export function directoryOf({ agents, primary, publicUrl, allowedHosts }: DirectoryInput) {
  const known = new Map(Object.entries(agents).map(([id, { v03 }]) => [id, new Set(v03)]));
  const shared = new Set(
    [publicUrl, ...Object.values(agents).map((agent) => agent.publicUrl)]
      .filter((url) => url !== undefined)
      .map((url) => new URL(url).hostname),
  );
  for (const host of allowedHosts) shared.add(hostnameOf(host));
  return {
    has: (agent: string): boolean => known.has(agent),
    namedByHost(authority: string): string | undefined {
      const host = hostnameOf(authority);
      const [label = "", ...domain] = host.split(".");
      if (domain.length === 0 || shared.has(host) || isIP(host) !== 0) return undefined;
      return known.has(label) ? label : undefined;
    },
    versionsOf(agent: string | undefined, binding: ProtocolBinding): readonly string[] {
      const older = known.get(agent ?? primary);
      return older === undefined || older.has(binding) ? BOTH : NEWEST;
    },
  };
}

const BOTH: readonly string[] = ["1.0", "0.3"];
const NEWEST: readonly string[] = ["1.0"];

/** Without the port. */
function hostnameOf(authority: string): string {
  return authority.toLowerCase().replace(/:\d+$/, "");
}
