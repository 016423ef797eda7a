/** Who may do what: nobody anything, but for what a policy allows and none denies. */
import type { Intent, Policy } from "../../core/ports/policy.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { OperationName } from "../../protocol/service.ts";
import { OPERATION_NAMES, operationsOf } from "./operations.ts";
import type { PolicySettings } from "./settings.ts";
import { whoOf, type IsAbout } from "./who.ts";

/** Undefined for no policies: everybody may do everything then. */
export function openPolicy(policies: readonly PolicySettings[]): Policy | undefined {
  if (policies.length === 0) return undefined;
  const rulesOf = tableOf(policies.map(ruleOf));
  const isAllowed = ({ principal, agent, operation, skill }: Intent): boolean => {
    for (const rule of rulesOf(operation))
      if (covers(rule, agent.id, skill) && rule.isAbout(principal)) return !rule.denies;
    return false;
  };
  return {
    check(intent) {
      if (isAllowed(intent)) return;
      const { agent, operation, skill } = intent;
      const what = skill === undefined ? operation : `${operation} with this skill`;
      throw new A2AError("FORBIDDEN", `${what} is not allowed on agent ${agent.id}`);
    },
    sees: (principal, agent) =>
      OPERATION_NAMES.some((operation) =>
        skillsIn(rulesOf(operation)).some((skill) =>
          isAllowed({ principal, agent, operation, skill }),
        ),
      ),
  };
}

interface Rule {
  readonly denies: boolean;
  readonly operations: ReadonlySet<OperationName>;
  /** Undefined: all. */
  readonly agents: ReadonlySet<string> | undefined;
  /** Undefined: whatever skill is named, or none. */
  readonly skills: ReadonlySet<string> | undefined;
  readonly isAbout: IsAbout;
}

function ruleOf({ who, agents, operations, skills, effect }: PolicySettings): Rule {
  return {
    denies: effect === "deny",
    operations: operationsOf(operations ?? [skills === undefined ? "*" : "send"]),
    agents: agents && new Set(agents),
    skills: skills && new Set(skills),
    isAbout: whoOf(who),
  };
}

/** For each operation the rules about it, those that deny first: the first that fits decides. */
function tableOf(rules: readonly Rule[]): (operation: OperationName) => readonly Rule[] {
  const inOrder = rules.toSorted((one, other) => Number(other.denies) - Number(one.denies));
  const table = new Map(
    OPERATION_NAMES.map((name) => [name, inOrder.filter((rule) => rule.operations.has(name))]),
  );
  return (operation) => table.get(operation) ?? NO_RULES;
}

const NO_RULES: readonly Rule[] = [];

function covers({ agents, skills }: Rule, agent: string, skill: string | undefined): boolean {
  if (agents !== undefined && !agents.has(agent)) return false;
  return skills === undefined || (skill !== undefined && skills.has(skill));
}

/** The skills that make a difference, and none at all. */
function skillsIn(rules: readonly Rule[]): readonly (string | undefined)[] {
  return [undefined, ...rules.flatMap(({ denies, skills = [] }) => (denies ? [] : [...skills]))];
}
