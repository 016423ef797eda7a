import type { JsonObject } from "../protocol/json.ts";
import type { Path } from "./path.ts";
import type { Settings } from "./schema.ts";

/** The checked configuration. Durations are milliseconds, sizes bytes. */
export interface Config extends Settings {
  /** The folder that relative paths in the configuration start from, absolute. */
  readonly baseDir: string;
  /** `:memory:` or an absolute path. */
  readonly database: string;
  /** `config.yaml:12:14`: where something was written, for faults that show only when it is used. */
  whereOf(path: Path, part?: "key" | "value"): string;
  /** What stands below an agent's id in the file, variables as variables. */
  definitionOf(agent: string): JsonObject;
  /** The agent that is served at the root, and to callers that name none. */
  readonly primary: string;
}
