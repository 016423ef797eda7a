import type { Dialect } from "./dialect.ts";
import { v1 } from "./v1/index.ts";

/** The protocol versions that the gateway speaks, newest first. */
export const dialects: readonly Dialect[] = [v1];
