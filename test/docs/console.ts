/** Commands and their answers as the documentation shows them, and whether an answer is as shown. */
import { isDeepStrictEqual } from "node:util";

export interface Step {
  readonly command: string;
  /** What is shown below it; empty: nothing is. */
  readonly answer: string;
}

/** What stands in one fenced block, and runs in one shell. */
export interface Session {
  /** The line of the page that it begins at. */
  readonly line: number;
  readonly steps: readonly Step[];
}

/** The blocks of a page that are marked so, each with the line that it begins at. */
export function blocksOf(page: string, mark: string): readonly (readonly [number, string])[] {
  return Array.from(page.matchAll(/^```(.+)\n([^]*?)^```$/gm), (block) => {
    const [, found, text = ""] = block;
    const line = page.slice(0, block.index).split("\n").length;
    return found === mark ? ([line, text] as const) : undefined;
  }).filter((block) => block !== undefined);
}

/** A command begins with `$ ` and goes on while a quote is open or a backslash ends the line. */
export function sessionsOf(page: string): readonly Session[] {
  return blocksOf(page, "console").map(([line, text]) => {
    const steps: { command: string; answer: string }[] = [];
    let isOpen = false;
    for (const each of text.trimEnd().split("\n")) {
      const step = steps.at(-1);
      if (isOpen && step) step.command += `\n${each}`;
      else if (each.startsWith("$ ")) steps.push({ command: each.slice(2), answer: "" });
      else if (step) step.answer += `${each}\n`;
      else throw new Error(`line ${line}: an answer without a command`);
      const command = steps.at(-1)?.command ?? "";
      isOpen = command.endsWith("\\") || command.split("'").length % 2 === 0;
    }
    return { line, steps };
  });
}

/**
 * Whether the output is as the answer shows it. JSON is compared by value: what is shown must be there. Of anything
 * else, the lines that are shown must come in their order. `…` stands for any text.
 */
export function isAsShown(answer: string, output: string): boolean {
  if (answer.trim() === "") return true;
  const shown = parsed(answer);
  if (shown !== undefined) return isShownIn(shown.value, parsed(output)?.value);
  let at = 0;
  const lines = output.split("\n");
  return answer.split("\n").every((line) => {
    if (line.trim() === "" || line.trim() === "…") return true;
    const found = lines.findIndex((each, index) => index >= at && isText(line, each));
    at = found + 1;
    return found >= 0;
  });
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function isShownIn(shown: unknown, value: unknown): boolean {
  if (typeof shown === "string") return typeof value === "string" && isText(shown, value);
  if (Array.isArray(shown))
    return (
      Array.isArray(value) &&
      shown.length === value.length &&
      shown.every((each, index) => isShownIn(each, value[index]))
    );
  if (typeof shown !== "object" || shown === null) return isDeepStrictEqual(shown, value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(shown).every(([name, each]) => isShownIn(each, members.get(name)));
}

function isText(shown: string, text: string): boolean {
  const pieces = shown
    .trimEnd()
    .split("…")
    .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".*")}$`, "s").test(text.trimEnd());
}
