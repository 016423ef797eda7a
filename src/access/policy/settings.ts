/** Who may do what, as it stands below `access.policies` in the configuration. */
import type { OperationWord } from "./operations.ts";

export interface PolicySettings {
  readonly who: WhoSettings;
  /** The ids of agents; all agents when absent. */
  readonly agents?: readonly string[];
  /** All operations when absent; beside `skills` those that send. */
  readonly operations?: readonly OperationWord[];
  /** About messages only that name one of these as `skillId` in their metadata. Stands beside no operation but sends. */
  readonly skills?: readonly string[];
  /** What a policy forbids is forbidden, whatever others allow; `allow` when absent. */
  readonly effect?: "allow" | "deny";
}

/** Whom a policy is about: all members that are given must fit; there is at least one. */
export interface WhoSettings {
  /** One of these ids, within the `tenants`; without them, of somebody who has no tenant. */
  readonly principals?: readonly string[];
  /** One of these; an empty text is the one of those who have none. */
  readonly tenants?: readonly string[];
  /** All of these. */
  readonly scopes?: readonly string[];
  /** By the name of a claim, or the names on the way to it with dots between them: what it must be, or hold. */
  readonly claims?: Readonly<Record<string, ClaimValue | readonly ClaimValue[]>>;
  /** True: whoever came without credentials, and stands alone. False: whoever was recognised, as the other members mean anyway. */
  readonly anonymous?: boolean;
}

export type ClaimValue = string | number | boolean;
