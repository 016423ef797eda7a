import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { pathText } from "./path.ts";
import { secretText } from "./secret-text.ts";
import { isToken, NO_TOKEN } from "./token.ts";

/**
 * The token of the operations port, from its file where it is in one; undefined when there is none. Throws a ConfigError
 * for a file that cannot be read, or holds what cannot be given as a token.
 */
export async function opsTokenOf(config: Config): Promise<string | undefined> {
  const { token } = config.ops;
  if (token === undefined) return undefined;
  const value = await secretText(config, ["ops", "token"], token);
  if (isToken(value)) return value;
  const path = ["ops", "token", "file"];
  const where = config.whereOf(path);
  throw new ConfigError([{ where, path: pathText(path), what: NO_TOKEN }]);
}
