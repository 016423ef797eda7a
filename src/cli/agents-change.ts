/** The commands that switch agents on and off, remove them, and have them read again. */
import { Command } from "commander";
import { adminPath } from "./admin/client.ts";
import { rowsIn } from "./admin/fields.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./admin/options.ts";
import { show } from "./admin/show.ts";
import { agentLines } from "./agents-lines.ts";
import { plainWord } from "./plain-text.ts";

export function agentsEnableCommand(): Command {
  return switchCommand("enable", "switch an agent on, for later starts too");
}

export function agentsDisableCommand(): Command {
  return switchCommand("disable", "switch an agent off, for later starts too");
}

function switchCommand(verb: "enable" | "disable", description: string): Command {
  return agentCommand(verb, description).action(async (id: string, flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "POST", path: adminPath("agents", id, verb) });
    show(flags, json, () => [`${verb}d ${plainWord(id)}`]);
  });
}

export function agentsRemoveCommand(): Command {
  return agentCommand("remove", "remove an agent that was added").action(
    async (id: string, flags: AdminFlags) => {
      const admin = await adminOf(flags);
      const { json } = await admin({ verb: "DELETE", path: adminPath("agents", id) });
      show(flags, json, () => [`removed ${plainWord(id)}`]);
    },
  );
}

export function agentsRefreshCommand(): Command {
  return agentCommand("refresh", "ask a remote agent for its card now").action(
    async (id: string, flags: AdminFlags) => {
      const admin = await adminOf(flags);
      const { json } = await admin({ verb: "POST", path: adminPath("agents", id, "refresh") });
      show(flags, json, agentLines);
    },
  );
}

export function agentsReloadCommand(): Command {
  return withAdminOptions(
    new Command("reload").description("read the gateway's configuration file again"),
  ).action(async (flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "POST", path: adminPath("reload") });
    show(flags, json, reloadLines);
  });
}

function reloadLines(reloaded: unknown): readonly string[] {
  const lines = [
    ...["added", "changed", "removed"].map((what) => [what, namesIn(reloaded, what)] as const),
    ["from the next start", namesIn(reloaded, "later")] as const,
  ].filter(([, names]) => names !== "");
  return lines.length === 0
    ? ["nothing changed"]
    : lines.map(([what, names]) => `${what}: ${names}`);
}

function namesIn(reloaded: unknown, what: string): string {
  return rowsIn(reloaded, what)
    .map((name) => plainWord(String(name)))
    .join(", ");
}

function agentCommand(name: string, description: string): Command {
  return withAdminOptions(
    new Command(name).description(description).argument("<id>", "the agent's id"),
  );
}
