/** The kinds of handlers: a new kind is a folder, a line in the union and a line in the switch. */
import type { KeptCard } from "../core/ports/agent-store.ts";
import type { Handler } from "../core/ports/handler.ts";
import type { Log } from "../core/ports/log.ts";
import type { ExecConfig } from "./exec/config.ts";
import { createExecHandler } from "./exec/handler.ts";
import type { HttpConfig } from "./http/config.ts";
import { createHttpHandler } from "./http/handler.ts";
import type { ModuleConfig } from "./module/config.ts";
import { createModuleHandler } from "./module/handler.ts";
import type { StaticConfig } from "./static/config.ts";
import { createStaticHandler } from "./static/handler.ts";
import type { UpstreamConfig } from "./upstream/config.ts";
import type { VerifyCard } from "./upstream/discovery/signature-check.ts";
import { createUpstreamHandler } from "./upstream/handler.ts";

export type HandlerConfig = StaticConfig | ExecConfig | ModuleConfig | HttpConfig | UpstreamConfig;

export interface HandlerDeps {
  /** What relative paths of the configuration start from: the directory of its file. */
  readonly baseDir: string;
  /** The gateway's environment, of which programs get PATH, HOME and LANG. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Checks the signatures of remote agents' cards. */
  readonly verifyCard: VerifyCard;
  /** What is kept of a remote agent's cards from one start to the next. */
  readonly cards?: {
    readonly last: readonly KeptCard[];
    /** Must not throw. */
    keep(found: readonly KeptCard[]): void;
  };
}

/** The handler of a configuration; throws an Error that says what is wrong with it. */
export async function createHandler(config: HandlerConfig, deps: HandlerDeps): Promise<Handler> {
  switch (config.kind) {
    case "static":
      return createStaticHandler(config);
    case "exec":
      return createExecHandler(config, deps);
    case "module":
      return createModuleHandler(config, deps);
    case "http":
      return createHttpHandler(config, deps);
    case "upstream":
      return createUpstreamHandler(config, {
        baseDir: deps.baseDir,
        log: deps.log,
        verifyCard: deps.verifyCard,
        lastCards: deps.cards?.last ?? [],
        changed: ({ cards }) => deps.cards?.keep(cards),
      });
  }
}
