/** An agent of the gateway, for people. */
import { isTrue, rowsIn, wordIn } from "./admin/fields.ts";
import type { Column } from "./admin/table.ts";
import { reachOf, upstreamLines } from "./agents-upstream.ts";
import { member } from "./client/remote-error.ts";
import { plainJson } from "./plain-text.ts";

export const AGENT_COLUMNS: readonly Column[] = [
  { title: "ID", cell: (agent) => wordIn(agent, "id") },
  { title: "KIND", cell: (agent) => wordIn(agent, "kind") },
  { title: "ORIGIN", cell: (agent) => wordIn(agent, "origin") },
  { title: "STATE", cell: stateOf },
  { title: "UPSTREAM", cell: (agent) => reachOf(member(agent, "upstream")) },
  { title: "PORT", cell: (agent) => wordIn(agent, "port") },
  { title: "RUNNING", cell: (agent) => wordIn(agent, "running") },
  { title: "NAME", cell: (agent) => wordIn(agent, "name") },
];

/** What there is to say of an agent without its definition. */
export function agentLines(agent: unknown): readonly string[] {
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["agent", wordIn(agent, "id")],
    ["name", wordIn(agent, "name")],
    ["description", wordIn(agent, "description")],
    ["kind", wordIn(agent, "kind")],
    ["origin", wordIn(agent, "origin")],
    ["state", stateOf(agent)],
    ["problem", wordIn(agent, "problem")],
    ["port", wordIn(agent, "port")],
    ["running", wordIn(agent, "running")],
  ];
  return [
    ...facts.filter(([, value]) => value !== "").map(([name, value]) => line(name, value)),
    ...doorsOf(member(agent, "card")).map((door) => line("served", door)),
    ...upstreamLines(member(agent, "upstream")).map((fact) => line("upstream", fact)),
  ];
}

export function definitionLines(agent: unknown): readonly string[] {
  const definition = member(agent, "definition");
  return definition === undefined ? [] : ["definition", plainJson(definition, 2)];
}

function stateOf(agent: unknown): string {
  if (!isTrue(agent, "isEnabled")) return "disabled";
  if (wordIn(agent, "problem") !== "") return "unserved";
  return isTrue(agent, "isPrimary") ? "primary" : "enabled";
}

function doorsOf(card: unknown): readonly string[] {
  if (member(card, "supportedInterfaces") === undefined) return [];
  return rowsIn(card, "supportedInterfaces").map((door) =>
    ["protocolBinding", "protocolVersion", "url", "tenant"]
      .map((name) => wordIn(door, name))
      .join(" ")
      .trimEnd(),
  );
}

function line(name: string, value: string): string {
  return `${name.padEnd(11)}  ${value}`;
}
