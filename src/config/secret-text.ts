import { resolve } from "node:path";
import { textOfFile } from "../text-file.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { pathText, type Path } from "./path.ts";

/** The text of a secret, or of the file that holds it, without the space around it. Throws a ConfigError. */
export async function secretText(
  { baseDir, whereOf }: Pick<Config, "baseDir" | "whereOf">,
  path: Path,
  secret: string | { readonly file: string },
): Promise<string> {
  if (typeof secret === "string") return secret;
  const refuse = (what: string, cause?: unknown): never => {
    const whole = [...path, "file"];
    throw new ConfigError([{ where: whereOf(whole), path: pathText(whole), what }], { cause });
  };
  const text = await textOfFile(resolve(baseDir, secret.file)).catch((cause: unknown) =>
    refuse(cause instanceof Error ? cause.message : String(cause), cause),
  );
  return text.trim() === "" ? refuse("expected a file that is not empty") : text.trim();
}
