/** Members of the Admin API's answers, for the terminal: an answer may be of another release than the command. */
import { member, RemoteError } from "../client/remote-error.ts";
import { plainWord } from "../plain-text.ts";

/** The list of that name. Throws a RemoteError where there is none. */
export function rowsIn(answer: unknown, name: string): readonly unknown[] {
  const list = member(answer, name);
  if (!Array.isArray(list)) throw new RemoteError(`the answer has no list "${name}"`);
  return list;
}

/** A text, a number or a truth on one line, harmless to a terminal; "" for what is missing or something else. */
export function wordIn(row: unknown, name: string): string {
  const value = member(row, name);
  if (typeof value === "string") return plainWord(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

export function isTrue(row: unknown, name: string): boolean {
  return member(row, name) === true;
}
