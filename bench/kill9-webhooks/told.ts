/** Reads a delivery, in the form of either version, and holds its headers against what the webhook was registered with. */
import type { IncomingHttpHeaders } from "node:http";
import type { Told } from "./journal.ts";

interface Artifact {
  readonly parts: readonly { readonly text?: string }[];
}

interface Changed {
  readonly status: { readonly state: string };
  readonly artifacts?: readonly Artifact[];
}

interface Body {
  readonly task?: Changed;
  readonly statusUpdate?: Changed;
  readonly artifactUpdate?: { readonly artifact: Artifact };
}

/** The version is the letter that the webhook's name begins with. */
export const NAMED_AFTER = { n: "1.0", o: "0.3" } as const;

const TYPES = { "1.0": "application/a2a+json", "0.3": "application/json" } as const;

/** Throws for what is not as it should be. */
export function toldIn(hook: string, headers: IncomingHttpHeaders, body: string): Told {
  const version = hook.startsWith("n") ? NAMED_AFTER.n : NAMED_AFTER.o;
  const expected = {
    "a2a-version": version,
    "content-type": TYPES[version],
    "x-a2a-notification-token": tokenOf(hook),
    authorization: `Bearer ${tokenOf(hook)}`,
  };
  for (const [name, value] of Object.entries(expected))
    if (headers[name] !== value) throw new Error(`${name} is ${String(headers[name])}`);
  return version === "1.0" ? toldByEvent(JSON.parse(body) as Body) : toldByTask(body);
}

export function tokenOf(hook: string): string {
  return `token-of-${hook}`;
}

function toldByEvent({ task, statusUpdate, artifactUpdate }: Body): Told {
  if (task) return { kind: "task", state: task.status.state, text: textOf(task.artifacts) };
  if (statusUpdate) return { kind: "status", state: statusUpdate.status.state };
  if (artifactUpdate) return { kind: "artifact", text: textOf([artifactUpdate.artifact]) };
  throw new Error("no event");
}

function toldByTask(body: string): Told {
  const { kind, status, artifacts } = JSON.parse(body) as Changed & { readonly kind: string };
  if (kind !== "task") throw new Error(`kind ${kind}`);
  return { kind, state: newer(status.state), text: textOf(artifacts) };
}

function newer(state: string): string {
  return `TASK_STATE_${state.toUpperCase().replaceAll("-", "_")}`;
}

/** The parts of an artifact are pieces of one text. */
export function textOf(artifacts: readonly Artifact[] = []): string {
  return artifacts.map(({ parts }) => parts.map(({ text = "" }) => text).join("")).join("|");
}
