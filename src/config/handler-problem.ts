import type { HandlerConfig } from "../handlers/index.ts";
import { SettingError } from "../setting-error.ts";
import type { Config } from "./config.ts";
import type { Problem } from "./errors.ts";
import { pathText } from "./path.ts";
import { settingProblem } from "./setting-problem.ts";

export interface WrittenHandler {
  /** The agent's id. */
  readonly agent: string;
  readonly handler: HandlerConfig;
}

/** Why an agent's handler could not be made. */
export function handlerProblem(
  { whereOf }: Pick<Config, "whereOf">,
  { agent, handler: { kind } }: WrittenHandler,
  thrown: unknown,
): Problem {
  const path = ["agents", agent, kind];
  if (thrown instanceof SettingError) return settingProblem({ whereOf }, path, thrown);
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return { where: whereOf(path, "key"), path: pathText(path), what };
}
