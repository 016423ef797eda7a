/** How the gateway finds a remote agent, for people. */
import { isTrue, rowsIn, wordIn } from "./admin/fields.ts";
import type { Column } from "./admin/table.ts";
import { member } from "./client/remote-error.ts";

/** Of the rows that `interfacesIn` makes. */
export const UPSTREAM_COLUMNS: readonly Column<InterfaceRow>[] = [
  { title: "AGENT", cell: ({ upstream }) => wordIn(upstream, "agent") },
  { title: "STATE", cell: ({ upstream }) => stateOf(upstream) },
  { title: "BINDING", cell: ({ door }) => wordIn(door, "binding") },
  { title: "VERSION", cell: ({ door }) => wordIn(door, "version") },
  { title: "CURRENT", cell: ({ door }) => (isTrue(door, "isCurrent") ? "yes" : "") },
  { title: "BREAKER", cell: ({ door }) => wordIn(door, "breaker") },
  { title: "HEALTH", cell: ({ door }) => healthOf(door) },
  { title: "URL", cell: ({ door }) => wordIn(door, "url") },
];

interface InterfaceRow {
  readonly upstream: unknown;
  /** Undefined for an agent of which no interface is known. */
  readonly door: unknown;
}

/** A row for each interface of a remote agent, at least one. */
export function interfacesIn(upstream: unknown): readonly InterfaceRow[] {
  const doors = doorsOf(upstream);
  return (doors.length === 0 ? [undefined] : doors).map((door) => ({ upstream, door }));
}

function stateOf(upstream: unknown): string {
  return isTrue(upstream, "isEnabled") ? reachOf(upstream) : "disabled";
}

/** One word: `up` when there is an interface that calls may go to; "" for an agent that is not remote. */
export function reachOf(upstream: unknown): string {
  if (upstream === undefined || upstream === null) return "";
  if (!isTrue(upstream, "isKnown")) return "unknown";
  return doorsOf(upstream).some(isUp) ? "up" : "down";
}

export function upstreamLines(upstream: unknown): readonly string[] {
  const state = reachOf(upstream);
  if (state === "") return [];
  const fetchedAt = wordIn(upstream, "fetchedAt");
  const problem = wordIn(upstream, "problem");
  return [
    [state, fetchedAt && `card of ${fetchedAt}`, problem].filter(Boolean).join(", "),
    ...doorsOf(upstream).map((door) =>
      [
        ["binding", "version", "url"].map((name) => wordIn(door, name)).join(" "),
        isTrue(door, "isCurrent") && "current",
        `breaker ${wordIn(door, "breaker")}`,
        healthOf(door),
      ]
        .filter(Boolean)
        .join(", "),
    ),
  ];
}

function doorsOf(upstream: unknown): readonly unknown[] {
  return member(upstream, "interfaces") === undefined ? [] : rowsIn(upstream, "interfaces");
}

function isUp(door: unknown): boolean {
  return wordIn(door, "breaker") !== "open" && member(member(door, "health"), "isUp") !== false;
}

/** Empty for an interface that was not checked yet. */
function healthOf(door: unknown): string {
  const health = member(door, "health");
  const checkedAt = wordIn(health, "checkedAt");
  if (checkedAt === "") return "";
  const state = isTrue(health, "isUp") ? "up" : `down (${wordIn(health, "problem")})`;
  return `${state} at ${checkedAt}`;
}
