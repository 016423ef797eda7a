/** What the doors ask about the agents: whether there is one, and which versions it offers where. */
import { isIP } from "node:net";
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import type { AgentSettings } from "./settings.ts";

export interface DirectorySettings {
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
}

/** What the directory reads of a roster. */
interface Listed {
  readonly agents: ReadonlyMap<
    string,
    { readonly settings: Pick<AgentSettings, "v03" | "publicUrl"> }
  >;
  readonly primary: string;
}

/** Of the agents that are served at the time of each question. */
export function directoryOf(settings: DirectorySettings, roster: () => Listed) {
  const hostsOf = kept((listed: Listed) => sharedHosts(settings, listed));
  return {
    has: (agent: string): boolean => roster().agents.has(agent),
    namedByHost(authority: string): string | undefined {
      const host = hostnameOf(authority);
      const [label = "", ...domain] = host.split(".");
      if (domain.length === 0 || isIP(host) !== 0) return undefined;
      const listed = roster();
      return listed.agents.has(label) && !hostsOf(listed).has(host) ? label : undefined;
    },
    /** The same list for the same answer: it is asked at every call. */
    versionsOf(agent: string | undefined, binding: ProtocolBinding): readonly string[] {
      const { agents, primary } = roster();
      const older = agents.get(agent ?? primary)?.settings.v03;
      return older === undefined || older.includes(binding) ? BOTH : NEWEST;
    },
  };
}

/** The hosts under which several agents are reached, so that their first label names none. */
function sharedHosts(
  { publicUrl, allowedHosts }: DirectorySettings,
  { agents }: Listed,
): ReadonlySet<string> {
  const own = [...agents.values()].map(({ settings }) => settings.publicUrl);
  const urls = [publicUrl, ...own].filter((url) => url !== undefined);
  return new Set([...urls.map((url) => new URL(url).hostname), ...allowedHosts.map(hostnameOf)]);
}

/** The last answer is given again for the same argument. */
function kept<A extends object, R>(answer: (argument: A) => R): (argument: A) => R {
  let last: { readonly argument: A; readonly result: R } | undefined;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: answer(argument) };
    return last.result;
  };
}

const BOTH: readonly string[] = ["1.0", "0.3"];
const NEWEST: readonly string[] = ["1.0"];

/** Without the port. */
function hostnameOf(authority: string): string {
  return authority.toLowerCase().replace(/:\d+$/, "");
}
