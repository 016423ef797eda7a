import type { ServerResponse } from "node:http";
import type { Received, Script } from "../fake-agent.ts";

export interface Held {
  readonly script: Script;
  /** Answers the oldest call that waits, or the next one, as a script says. */
  answer(script: Script): void;
}

/** Answers that come when the test says so. */
export function held(): Held {
  const waiting: (readonly [ServerResponse, Received])[] = [];
  const ready: Script[] = [];
  return {
    script(response, received) {
      const script = ready.shift();
      if (script === undefined) waiting.push([response, received]);
      else script(response, received);
    },
    answer(script) {
      const call = waiting.shift();
      if (call === undefined) ready.push(script);
      else script(...call);
    },
  };
}
