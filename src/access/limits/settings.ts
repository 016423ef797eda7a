/** How much may be asked, as it stands below `limits.calls` in the configuration. */
import type { CallLimit } from "../../core/ports/call-limits.ts";
import type { WhoSettings } from "../policy/settings.ts";

export interface CallLimitSettings {
  /** Of each address; the rate counts everything that comes to the doors. */
  readonly address?: CallLimit;
  /** Of each principal. Whoever is not known is counted by address. */
  readonly principal?: CallLimit;
  /** Of each agent, whoever calls it, unless it says otherwise. */
  readonly agent?: CallLimit;
  /** Principals with other limits: the first that fits counts, and what it does not say is as for all. */
  readonly except: readonly ExceptionSettings[];
}

export interface ExceptionSettings extends CallLimit {
  readonly who: WhoSettings;
}
