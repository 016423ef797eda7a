/** What a program's end means for its turn. */
import type { Ending } from "./program.ts";

const START_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: "was not found",
  EACCES: "may not be executed",
  E2BIG: "was given too much",
};

/** The reason for the caller why the turn failed; undefined when it did not. */
export function failureOf(ending: Ending, name: string, complaint: string): string | undefined {
  const said = complaint === "" ? "" : `: ${complaint}`;
  switch (ending.kind) {
    case "exited":
      return ending.code === 0 ? undefined : `${name} ended with exit code ${ending.code}${said}`;
    case "killed":
      return `${name} was ended by ${ending.signal}${said}`;
    case "not-started":
      return `${name} ${START_FAILURES[ending.code] ?? "could not be started"}`;
  }
}
