/** Whether the file of the audit can be opened. */
import { access, constants, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isStream } from "./audit.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";

/** Makes no file. Throws a ConfigError for one that could not be opened now. */
export async function checkAuditFile(
  config: Pick<Config, "audit" | "baseDir" | "whereOf">,
): Promise<void> {
  const { audit, baseDir } = config;
  if (audit === undefined || isStream(audit.file)) return;
  const file = resolve(baseDir, audit.file);
  try {
    await openToAppend(file);
  } catch (thrown) {
    throw unopenable(config, thrown);
  }
}

/** A file that cannot be opened, as the mistake of whoever wrote the configuration. */
export function unopenable({ whereOf }: Pick<Config, "whereOf">, cause: unknown): ConfigError {
  const what = `cannot be opened to append to: ${cause instanceof Error ? cause.message : ""}`;
  const problem = { where: whereOf(["audit", "file"]), path: "audit.file", what };
  return new ConfigError([problem], { cause });
}

/** One that is not there yet is made in its folder. */
async function openToAppend(file: string): Promise<void> {
  try {
    const opened = await open(file, constants.O_WRONLY | constants.O_APPEND);
    await opened.close();
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) throw thrown;
    await access(dirname(file), constants.W_OK);
  }
}
