/** Runs the same cases on every door. */
import { describe } from "node:test";
import type { Door } from "../support/doors.ts";
import type { RunningGateway } from "../support/gateway.ts";

const NAMES = ["JSON-RPC", "HTTP+JSON", "gRPC"] as const;

/** The gateway runs only once the tests do, hence the functions. */
export function eachDoor(
  gateway: () => RunningGateway,
  cases: (door: () => Door, others: () => readonly Door[]) => void,
): void {
  for (const [index, name] of NAMES.entries())
    describe(name, () => {
      const door = (): Door => {
        const found = gateway().doors[index];
        if (found === undefined) throw new Error(`no door ${name}`);
        return found;
      };
      cases(door, () => gateway().doors.filter((other) => other !== door()));
    });
}
