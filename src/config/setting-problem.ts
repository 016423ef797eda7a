import type { SettingError } from "../setting-error.ts";
import type { Config } from "./config.ts";
import type { Problem } from "./errors.ts";
import { pathOf, pathText, type Path } from "./path.ts";

/** A setting that cannot be used, by the place of the section that its path starts from. */
export function settingProblem(
  { whereOf }: Pick<Config, "whereOf">,
  section: Path,
  { path, what }: SettingError,
): Problem {
  const whole = [...section, ...pathOf(path)];
  return { where: whereOf(whole), path: pathText(whole), what };
}
