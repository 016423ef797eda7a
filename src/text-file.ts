import { readFile } from "node:fs/promises";

/** The text of a file in UTF-8, without a byte order mark. The error says in words for the user what is wrong with which file. */
export async function textOfFile(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    throw new Error(`${path}: ${whyUnreadable(cause)}`, { cause });
  }
}

/** Why a file could not be read, in words for the user. */
export function whyUnreadable(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT") return "no such file";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "not UTF-8 text";
  return `cannot be read (${String(code ?? thrown)})`;
}
