/** The kinds of handlers as keys of an agent: a new kind is a line here. */
import { execSchema } from "./exec.ts";
import { httpSchema } from "./http.ts";
import { moduleSchema } from "./module.ts";
import { staticSchema } from "./static.ts";

export const HANDLER_SCHEMAS = {
  static: staticSchema.exactOptional(),
  exec: execSchema.exactOptional(),
  module: moduleSchema.exactOptional(),
  http: httpSchema.exactOptional(),
};

export const HANDLER_KINDS = Object.keys(HANDLER_SCHEMAS);
