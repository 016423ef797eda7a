/** Values that are written as text or as a number. Whatever is wrong says what was expected. */
import { z } from "zod";

/** A value that `parse` reads, which answers undefined when it cannot. `what` it is, in errors. */
export function written<T>(what: string, parse: (text: string) => T | undefined) {
  const error = `expected ${what}`;
  return z.union([z.string(), z.number()], { error }).transform((value, context): T => {
    const result = parse(String(value).trim());
    if (result !== undefined) return result;
    context.issues.push({ code: "custom", message: error, input: value });
    return z.NEVER;
  });
}

/** As `written`, or a word that stands for undefined. */
export function writtenOr<T>(
  word: "off" | "never",
  what: string,
  parse: (text: string) => T | undefined,
) {
  return written(`${what}, or ${word}`, (text) => {
    if (text === word) return { value: undefined };
    const value = parse(text);
    return value === undefined ? undefined : { value };
  }).transform(({ value }) => value);
}
