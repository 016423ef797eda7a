/** The commands that show agents and change nothing. */
import { Command } from "commander";
import { adminPath } from "./admin/client.ts";
import { rowsIn } from "./admin/fields.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./admin/options.ts";
import { show } from "./admin/show.ts";
import { tableLines } from "./admin/table.ts";
import { AGENT_COLUMNS, agentLines, definitionLines } from "./agents-lines.ts";
import { interfacesIn, UPSTREAM_COLUMNS } from "./agents-upstream.ts";

export function agentsListCommand(): Command {
  return withAdminOptions(
    new Command("list").description("list every agent, switched on or off"),
  ).action(async (flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "GET", path: adminPath("agents") });
    show(flags, json, (answer) => tableLines(AGENT_COLUMNS, rowsIn(answer, "agents")));
  });
}

export function agentsInspectCommand(): Command {
  return withAdminOptions(
    new Command("inspect")
      .description("show an agent with its definition, secrets left out")
      .argument("<id>", "the agent's id"),
  ).action(async (id: string, flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "GET", path: adminPath("agents", id) });
    show(flags, json, (agent) => [...agentLines(agent), ...definitionLines(agent)]);
  });
}

export function agentsUpstreamsCommand(): Command {
  return withAdminOptions(
    new Command("upstreams").description("list how remote agents are reached, and how they are"),
  ).action(async (flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "GET", path: adminPath("upstreams") });
    show(flags, json, (answer) =>
      tableLines(UPSTREAM_COLUMNS, rowsIn(answer, "upstreams").flatMap(interfacesIn)),
    );
  });
}
