/** The webhooks that are registered during a run, and what has been acknowledged of each. */
import { NAMED_AFTER, tokenOf } from "./told.ts";
import type { Version } from "./caller.ts";

/** The agents, each called after what its webhooks are told. */
export const AGENTS = ["all", "default", "status"] as const;
export type Agent = (typeof AGENTS)[number];

/** From when on it is told: the first event, the one after the agent's question, or some event while the task runs. */
export type Beginning = "first" | "question" | "later";

export interface Hook {
  readonly name: string;
  readonly agent: Agent;
  readonly version: Version;
  readonly beginning: Beginning;
  /** Undefined until an answer has named it. */
  taskId: string | undefined;
  /** Whether it was there when the task had not ended yet. */
  mustHearEnd: boolean;
  isDeleted: boolean;
}

/** What a webhook is registered as, in both versions' spelling (spec 4.3.3; spec 0.3, 6.8). */
export interface Registration {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly authentication: { readonly credentials: string } & (
    { readonly scheme: string } | { readonly schemes: readonly string[] }
  );
}

export class Hooks {
  readonly #all = new Map<string, Hook>();

  open(agent: Agent, version: Version, beginning: Beginning): Hook {
    const letter = version === NAMED_AFTER.n ? "n" : "o";
    const hook: Hook = {
      name: `${letter}${this.#all.size + 1}`,
      agent,
      version,
      beginning,
      taskId: undefined,
      mustHearEnd: beginning !== "later",
      isDeleted: false,
    };
    this.#all.set(hook.name, hook);
    return hook;
  }

  all(): readonly Hook[] {
    return [...this.#all.values()];
  }
}

export function registrationOf({ name, version }: Hook, receiver: string): Registration {
  const credentials = tokenOf(name);
  const scheme = "Bearer";
  return {
    id: name,
    url: `${receiver}/${name}`,
    token: tokenOf(name),
    authentication:
      version === "1.0" ? { scheme, credentials } : { schemes: [scheme], credentials },
  };
}
