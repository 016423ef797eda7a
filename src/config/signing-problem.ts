import type { Config } from "./config.ts";
import type { Problem } from "./errors.ts";
import { pathText, type Path } from "./path.ts";

/** Why the file of a signing key, by the place of its settings, cannot be used. */
export function signingKeyProblem(
  { whereOf }: Pick<Config, "whereOf">,
  at: Path,
  thrown: unknown,
): Problem {
  const path = [...at, "file"];
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return { where: whereOf(path), path: pathText(path), what };
}
