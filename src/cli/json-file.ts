/** JSON that a command is given. */
import { readFile } from "node:fs/promises";
import type { JsonObject } from "../protocol/json.ts";
import { CommandError } from "./exit.ts";

export async function textOfFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const why = code === "ENOENT" ? "no such file" : `cannot be read (${String(code ?? cause)})`;
    throw new CommandError(`${file}: ${why}`);
  }
}

/** `name` says in an error what the text is. */
export function jsonObjectOf(text: string, name: string): JsonObject {
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch {
    // Told below: a text that is no JSON is no object either.
  }
  throw new CommandError(`${name}: not a JSON object`);
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
