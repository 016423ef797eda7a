/** Texts that the configuration holds itself or names a file for, which somebody else may renew. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SettingError } from "../../../setting-error.ts";
import type { Secret } from "../config.ts";
import { whyUnreadable } from "../../../text-file.ts";

export interface SecretDeps {
  /** What relative paths start from. */
  readonly baseDir: string;
  /** The name of the setting, in errors. */
  readonly setting: string;
  /** Whether a header holds the text as it is, and not in a form that holds anything. */
  readonly isHeader: boolean;
  now(): number;
}

/** The newest text; once opened, a file that cannot be read for a while does not take the last one away. */
export type OpenSecret = () => Promise<string>;

const PRINTABLE = { pattern: /^[\x20-\x7e]+$/, what: "one line of printable ASCII characters" };
const LINE = { pattern: /^[^\x00-\x1f\x7f]+$/, what: "one line of text" };

/** How long a text counts as the newest, in milliseconds. */
const FRESH = 1_000;

/** Throws a SettingError for a file that cannot be read, and for a text that cannot be sent. */
export async function openSecret(
  secret: Secret,
  { baseDir, setting, isHeader, now }: SecretDeps,
): Promise<OpenSecret> {
  const { pattern, what } = isHeader ? PRINTABLE : LINE;
  if (typeof secret === "string") {
    if (!pattern.test(secret)) throw new SettingError(setting, `expected ${what}`);
    return async () => secret;
  }
  const place = { baseDir, setting: `${setting}.file` };
  let text = await configuredText(secret.file, place);
  if (!pattern.test(text)) throw new SettingError(place.setting, `expected ${what} in it`);
  let readAt = now();
  return async () => {
    if (now() - readAt < FRESH) return text;
    readAt = now();
    const newer = await configuredText(secret.file, place).catch(() => text);
    if (pattern.test(newer)) text = newer;
    return text;
  };
}

/** What is in a file, without the space around it; throws a SettingError when it cannot be read. */
export async function configuredText(
  file: string,
  { baseDir, setting }: Pick<SecretDeps, "baseDir" | "setting">,
): Promise<string> {
  try {
    return (await readFile(resolve(baseDir, file), "utf8")).trim();
  } catch (cause) {
    throw new SettingError(setting, whyUnreadable(cause), { cause });
  }
}
