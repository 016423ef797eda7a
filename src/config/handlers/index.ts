/** The kinds of handlers as keys of an agent: a new kind is a line here. */
import type { z } from "zod";
import type { HandlerConfig } from "../../handlers/index.ts";
import { execSchema } from "./exec.ts";
import { httpSchema } from "./http.ts";
import { moduleSchema } from "./module.ts";
import { staticSchema } from "./static.ts";
import { upstreamSchema } from "./upstream.ts";

export const HANDLER_SCHEMAS = {
  static: staticSchema.exactOptional(),
  exec: execSchema.exactOptional(),
  module: moduleSchema.exactOptional(),
  http: httpSchema.exactOptional(),
  upstream: upstreamSchema.exactOptional(),
} satisfies Record<HandlerConfig["kind"], z.ZodType>;

type HandlerKind = keyof typeof HANDLER_SCHEMAS;

export const HANDLER_KINDS = Object.keys(HANDLER_SCHEMAS) as readonly HandlerKind[];

/** An agent's settings with its handler under one name, whatever its kind. */
export function withHandler<T extends { readonly [K in HandlerKind]?: HandlerConfig }>(
  written: T,
): Omit<T, HandlerKind> & { readonly handler?: HandlerConfig } {
  const kind = HANDLER_KINDS.find((key) => written[key] !== undefined);
  if (kind === undefined) return written;
  const { [kind]: handler, ...agent } = written;
  return { ...agent, ...(handler !== undefined && { handler }) };
}
