import type { Settings } from "./schema.ts";

/** The checked configuration. Durations are milliseconds, sizes bytes. */
export interface Config extends Settings {
  /** The folder that relative paths in the configuration start from, absolute. */
  readonly baseDir: string;
  /** `:memory:` or an absolute path. */
  readonly database: string;
  /** The agent that is served at the root, and to callers that name none. */
  readonly primary: string;
}
