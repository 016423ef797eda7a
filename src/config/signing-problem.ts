import type { Config } from "./config.ts";
import type { Problem } from "./errors.ts";
import { pathText } from "./path.ts";

/** Why the file of a signing key, by its place in the list, cannot be used. */
export function signingKeyProblem(
  { whereOf }: Pick<Config, "whereOf">,
  index: number,
  thrown: unknown,
): Problem {
  const path = ["cards", "signing", index, "file"];
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return { where: whereOf(path), path: pathText(path), what };
}
