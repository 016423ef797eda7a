/** What core asks before it does anything for anybody. */
import type { Principal } from "../../protocol/principal.ts";
import type { OperationName } from "../../protocol/service.ts";
import type { Agent } from "./agent.ts";

/** What somebody wants to do. */
export interface Intent {
  readonly principal: Principal;
  readonly agent: Pick<Agent, "id">;
  readonly operation: OperationName;
  /** The skill that a message names in its metadata, as `skillId`; undefined for none, and for what is no message. */
  readonly skill: string | undefined;
}

export interface Policy {
  /** Throws FORBIDDEN for what is not allowed. */
  check(intent: Intent): void;
  /** Whether somebody may do anything at all with an agent: whoever may not is not told of it where agents are listed. */
  sees(principal: Principal, agent: Pick<Agent, "id">): boolean;
}
