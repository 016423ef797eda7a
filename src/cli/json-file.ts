/** JSON that a command is given. */
import { textOfFile } from "../text-file.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isObject } from "../wire/schema/objects.ts";
import { CommandError, wordsOf } from "./exit.ts";
import { strictJsonOf } from "./json-text.ts";

export async function textOf(file: string): Promise<string> {
  try {
    return await textOfFile(file);
  } catch (cause) {
    throw new CommandError(wordsOf(cause));
  }
}

/** `name` says in an error what the text is. */
export function jsonObjectOf(text: string, name: string): JsonObject {
  const json = named(name, () => strictJsonOf(text));
  if (!isObject(json)) throw new CommandError(`${name}: not a JSON object`);
  return json as JsonObject;
}

/** What is wrong with a thing is told with its name. */
export function named<T>(name: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (cause) {
    throw new CommandError(`${name}: ${wordsOf(cause)}`);
  }
}
