import type { Dialect } from "./dialect.ts";
import { v0_3, type Settings } from "./v0_3/index.ts";
import { v1 } from "./v1/index.ts";

/** What an operator can settle of a version. */
export interface DialectSettings {
  readonly v03: Settings;
}

/** The protocol versions that the gateway speaks, newest first. */
export function dialectsOf({ v03 }: DialectSettings): readonly [Dialect, ...Dialect[]] {
  return [v1, v0_3(v03)];
}
