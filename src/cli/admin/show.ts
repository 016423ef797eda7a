import { print, printJson } from "../print.ts";
import type { AdminFlags } from "./options.ts";

/** The answer as it came, with `--json`, or in lines for people. An empty answer is no JSON and shows nothing there. */
export function show(
  { json: isRaw }: AdminFlags,
  answer: unknown,
  linesOf: (answer: unknown) => readonly string[],
): void {
  if (!isRaw) linesOf(answer).forEach(print);
  else if (answer !== undefined) printJson(answer);
}
