/**
 * What the receiver writes down: a line for each thing that happened, in order, before anybody is answered. The kernel
 * has the line then, so that it outlives a killed process.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** What a delivery told: the state and the artifacts' text, where it has them. */
export interface Told {
  readonly kind: "task" | "status" | "artifact";
  /** As 1.0 spells it. */
  readonly state?: string;
  readonly text?: string;
}

export type Line =
  /** A request came in, whatever becomes of it. */
  | { readonly kind: "arrived"; readonly hook: string; readonly deliveryId: string }
  /** The delivery counts as told. */
  | {
      readonly kind: "taken";
      readonly hook: string;
      readonly deliveryId: string;
      readonly told: Told;
    }
  /** The headers or the body are not those of a delivery to this webhook. */
  | { readonly kind: "wrong"; readonly hook: string; readonly what: string }
  /** The deletion of the webhook has been acknowledged. */
  | { readonly kind: "deleted"; readonly hook: string };

export interface Journal {
  write(line: Line): void;
  close(): void;
}

/** Goes on at the end of a file that is there. */
export function openJournal(file: string): Journal {
  const handle = openSync(file, "a");
  return {
    write: (line) => void writeSync(handle, `${JSON.stringify(line)}\n`),
    close: () => closeSync(handle),
  };
}

/** The lines by webhook, each in order. */
export function readJournal(file: string): ReadonlyMap<string, readonly Line[]> {
  const byHook = new Map<string, Line[]>();
  for (const text of readFileSync(file, "utf8").split("\n")) {
    if (text === "") continue;
    const line = JSON.parse(text) as Line;
    const known = byHook.get(line.hook);
    if (known) known.push(line);
    else byHook.set(line.hook, [line]);
  }
  return byHook;
}

/** The task and the generation that a delivery id names (docs/webhooks.md). */
export function eventOf(deliveryId: string): {
  readonly taskId: string;
  readonly generation: number;
} {
  const [taskId = "", generation] = deliveryId.split(".");
  return { taskId, generation: Number(generation) };
}
