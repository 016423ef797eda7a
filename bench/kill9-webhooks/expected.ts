/** What a webhook should be told, by the log of its task. */
import { WANTED, type News } from "../../src/core/ports/push-store.ts";
import type { StreamedEvent } from "./caller.ts";
import type { Agent, Hook } from "./hooks.ts";
import type { Told } from "./journal.ts";
import { textOf } from "./told.ts";

/** An event of a log, and how it left the task. */
export interface Entry {
  readonly generation: number;
  readonly news: News;
  /** Whether it is the first of several chunks: where nothing says that more follow, it may pass for the whole. */
  readonly opensArtifact: boolean;
  /** As streams tell it. */
  readonly event: Told;
  /** An artifact with all that came before; of other events, the same as the event. */
  readonly whole: Told;
  /** The task as this event left it. */
  readonly task: Told & { readonly kind: "task" };
}

interface Artifact {
  readonly artifactId: string;
  readonly parts: readonly { readonly text?: string }[];
}

interface Changed {
  readonly status: { readonly state: string };
  readonly artifacts?: readonly Artifact[];
}

interface Event {
  readonly task?: Changed;
  readonly statusUpdate?: Changed;
  readonly artifactUpdate?: {
    readonly artifact: Artifact;
    readonly append?: boolean;
    readonly lastChunk?: boolean;
  };
}

export function entriesOf(log: readonly StreamedEvent[]): readonly Entry[] {
  const live: Live = { state: "", texts: new Map() };
  return log.map(({ generation, event }) => entryOf(live, generation, event as Event));
}

/** A task as far as its log was read. */
interface Live {
  state: string;
  /** By artifact. */
  readonly texts: Map<string, string>;
}

function entryOf(live: Live, generation: number, event: Event): Entry {
  const { task, statusUpdate, artifactUpdate } = event;
  if (artifactUpdate) return artifactEntryOf(live, generation, artifactUpdate);
  live.state = (task ?? statusUpdate)?.status.state ?? "";
  const after = taskOf(live);
  const told: Told = task ? after : { kind: "status", state: live.state };
  return {
    generation,
    news: "status",
    opensArtifact: false,
    event: told,
    whole: told,
    task: after,
  };
}

function artifactEntryOf(
  live: Live,
  generation: number,
  { artifact, append = false, lastChunk = false }: Required<Event>["artifactUpdate"],
): Entry {
  const { artifactId } = artifact;
  const text = textOf([artifact]);
  const whole = append ? (live.texts.get(artifactId) ?? "") + text : text;
  live.texts.set(artifactId, whole);
  return {
    generation,
    news: append && !lastChunk ? "piece" : "artifact",
    opensArtifact: !append && !lastChunk,
    event: { kind: "artifact", text },
    whole: { kind: "artifact", text: whole },
    task: taskOf(live),
  };
}

function taskOf({ state, texts }: Live): Told & { readonly kind: "task" } {
  return { kind: "task", state, text: [...texts.values()].join("|") };
}

/** Whether nothing is wrong when it is not told. */
export function isOptional(hook: Hook, { opensArtifact }: Entry): boolean {
  return opensArtifact && !tellsPieces(hook.agent);
}

/** The events that a webhook is to be told, where `firstSeen` is the first generation that it was. */
export function dueOf(
  hook: Hook,
  entries: readonly Entry[],
  firstSeen: number | undefined,
): readonly Entry[] {
  const wanted = entries.filter(({ news }) => WANTED[hook.agent].has(news));
  switch (hook.beginning) {
    case "first":
      return wanted;
    case "question": {
      const asked = entries.find(({ event }) => event.state === "TASK_STATE_INPUT_REQUIRED");
      return wanted.filter(({ generation }) => generation > (asked?.generation ?? Infinity));
    }
    case "later":
      // Nobody knows when exactly it was registered, but from then on nothing is missing.
      if (firstSeen === undefined) return hook.mustHearEnd ? wanted.slice(-1) : [];
      return wanted.filter(({ generation }) => generation >= firstSeen);
  }
}

/** The forms in which an event may be told. */
export function formsOf(hook: Hook, entry: Entry, isFirst: boolean): readonly Told[] {
  const { event, whole, task } = entry;
  if (hook.version === "0.3") return [task];
  const told = tellsPieces(hook.agent) ? event : whole;
  if (hook.beginning === "first") return [told];
  // Whoever missed the beginning is told the task first, and again where the answer to that was lost.
  return isFirst ? [task] : [task, told];
}

function tellsPieces(agent: Agent): boolean {
  return agent === "all";
}
