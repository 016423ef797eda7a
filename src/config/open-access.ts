/** The access section, as `access/` reads it. */
import { openAccess, type Access, type AccessDeps } from "../access/access.ts";
import type { AccessSettings } from "../access/settings.ts";
import { SettingError } from "../setting-error.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { settingProblem } from "./setting-problem.ts";

/** What finds out who calls, as it is configured. Throws a ConfigError for the first setting that cannot be used. */
export async function openConfiguredAccess(
  config: Pick<Config, "access" | "baseDir" | "whereOf">,
  deps: Omit<AccessDeps, "baseDir">,
): Promise<Access> {
  try {
    return await openAccess(accessSettingsOf(config), { ...deps, baseDir: config.baseDir });
  } catch (thrown) {
    if (!(thrown instanceof SettingError)) throw thrown;
    throw new ConfigError([settingProblem(config, ["access"], thrown)], { cause: thrown });
  }
}

/** Each authenticator is of exactly one kind, which the schema checks and its type does not say. */
export function accessSettingsOf({ access }: Pick<Config, "access">): AccessSettings {
  return access as AccessSettings;
}
