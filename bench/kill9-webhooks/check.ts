/** After the end: what the receiver wrote down is held against the logs of the tasks. */
import { isDeepStrictEqual } from "node:util";
import { Caller } from "./caller.ts";
import { dueOf, entriesOf, formsOf, isOptional, type Entry } from "./expected.ts";
import type { Hook } from "./hooks.ts";
import { eventOf, type Line } from "./journal.ts";

const LANES = 16;

/**
 * Never told; told before what comes before it; told after the deletion; told wrongly; a call that was answered with an
 * error; a delivery that is neither made nor on its way.
 */
export type FaultKind = "lost" | "order" | "deleted" | "wrong" | "refused" | "left";

export interface Fault {
  readonly kind: FaultKind;
  readonly text: string;
}

export interface Verdict {
  readonly faults: readonly Fault[];
  /** Events that had to be told and were. */
  events: number;
  tries: number;
  /** Deliveries that were taken more than once. */
  repeats: number;
  /** Webhooks of which something was checked. */
  checked: number;
}

/** Every task must have ended. */
export async function check(
  gateway: string,
  hooks: readonly Hook[],
  journal: ReadonlyMap<string, readonly Line[]>,
): Promise<Verdict> {
  const faults: Fault[] = [];
  const verdict = { faults, events: 0, tries: 0, repeats: 0, checked: 0 };
  const left = hooks.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const caller = new Caller(gateway);
      for (const hook of left) {
        const lines = journal.get(hook.name) ?? [];
        const taskId = hook.taskId ?? taskIn(lines);
        // Nothing was acknowledged, and nothing came of it.
        if (taskId === undefined) continue;
        const entries = entriesOf(await caller.log(hook.agent, taskId));
        verdict.checked++;
        const say = (kind: FaultKind, what: string) =>
          faults.push({ kind, text: `${hook.agent} ${taskId} ${hook.name}: ${what}` });
        checkHook({ hook, entries, say, verdict }, lines);
      }
      caller.close();
    }),
  );
  return verdict;
}

function taskIn(lines: readonly Line[]): string | undefined {
  const line = lines.find(({ kind }) => kind === "arrived");
  return line?.kind === "arrived" ? eventOf(line.deliveryId).taskId : undefined;
}

interface Subject {
  readonly hook: Hook;
  readonly entries: readonly Entry[];
  readonly verdict: Verdict;
  say(kind: FaultKind, what: string): void;
}

function checkHook({ hook, entries, verdict, say }: Subject, lines: readonly Line[]): void {
  const due = dueOf(hook, entries, firstSeen(lines));
  const required = due.filter((entry) => !isOptional(hook, entry));
  const taken = new Set<number>();
  let isDeleted = false;
  for (const line of lines)
    switch (line.kind) {
      case "arrived": {
        verdict.tries++;
        const { generation } = eventOf(line.deliveryId);
        if (isDeleted) say("deleted", `told of ${generation} after its deletion`);
        if (!due.some((entry) => entry.generation === generation))
          say("wrong", `told of ${generation}, which is none of its events`);
        const missing = required.find(
          (entry) => entry.generation < generation && !taken.has(entry.generation),
        );
        if (missing) say("order", `told of ${generation} before it took ${missing.generation}`);
        break;
      }
      case "taken": {
        const { generation } = eventOf(line.deliveryId);
        if (taken.has(generation)) verdict.repeats++;
        const entry = due.find((each) => each.generation === generation);
        const forms = entry ? formsOf(hook, entry, taken.size === 0) : [];
        if (!forms.some((form) => isDeepStrictEqual(form, line.told)))
          say("wrong", `${generation} is told as ${JSON.stringify(line.told)}`);
        taken.add(generation);
        break;
      }
      case "wrong":
        say("wrong", line.what);
        break;
      case "deleted":
        isDeleted = true;
    }
  for (const { generation } of required) {
    if (taken.has(generation)) verdict.events++;
    else if (!hook.isDeleted) say("lost", `never took ${generation} of ${entries.length}`);
  }
}

function firstSeen(lines: readonly Line[]): number | undefined {
  for (const line of lines) if (line.kind === "arrived") return eventOf(line.deliveryId).generation;
  return undefined;
}
