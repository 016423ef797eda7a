/** Texts that the configuration holds itself or names a file for. */
import { resolve } from "node:path";
import { textOfFile } from "../text-file.ts";
import { SettingError } from "../setting-error.ts";
import type { Secret } from "./settings.ts";

/** Where a setting stands, and what relative paths start from. */
export interface SettingPlace {
  readonly path: string;
  readonly baseDir: string;
}

/** Throws a SettingError for a file that cannot be read and for an empty text. */
export async function secretText(secret: Secret, { path, baseDir }: SettingPlace): Promise<string> {
  if (typeof secret !== "string") return fileText(secret.file, { path: `${path}.file`, baseDir });
  if (secret === "") throw new SettingError(path, "expected text that is not empty");
  return secret;
}

/** What is in a file, without the space around it. Throws as `secretText` does. */
export async function fileText(file: string, { path, baseDir }: SettingPlace): Promise<string> {
  let text: string;
  try {
    text = (await textOfFile(resolve(baseDir, file))).trim();
  } catch (cause) {
    throw new SettingError(path, cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
  if (text === "") throw new SettingError(path, `${file} is empty`);
  return text;
}
