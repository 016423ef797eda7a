/** The conditions of a rule, taken apart when the handler is created. */
import type { Turn } from "../../core/ports/handler.ts";
import type { JsonValue } from "../../protocol/json.ts";
import { A2AError } from "../../protocol/errors.ts";
import { STATE_OF } from "../names.ts";
import { SettingError } from "../../setting-error.ts";
import { boundedExec } from "./bounded-exec.ts";
import type { StaticCondition } from "./config.ts";

type Test = (turn: Turn, text: string) => boolean;

/** What is searched by a regular expression: a slow expression on a long text would hold up every other task. */
const MAX_SEARCHED = 10_000;

export interface Condition {
  readonly tests: readonly Test[];
  readonly regex: RegExp | undefined;
}

/** Throws an Error with the path of what is wrong. */
export function conditionOf(when: StaticCondition, path: string): Condition {
  return { tests: testsOf(when), regex: regexOf(when, `${path}.regex`) };
}

/** What the groups of the rule's regular expression can be called in templates. */
export function groupsOf(regex: RegExp | undefined): ReadonlySet<string> {
  if (regex === undefined) return new Set();
  // An alternative that matches the empty text shows every group there is.
  const match = new RegExp(`${regex.source}|`, regex.flags).exec("");
  return new Set([...(match?.keys() ?? []), ...Object.keys(match?.groups ?? {})].map(String));
}

/**
 * How the condition holds: with the match of its regular expression, when it has one. Throws INVALID_PARAMS for a text on
 * which the expression takes too long.
 */
export function holds(
  { tests, regex }: Condition,
  turn: Turn,
  text: string,
): { readonly match: RegExpExecArray | undefined } | undefined {
  for (const test of tests) if (!test(turn, text)) return undefined;
  if (regex === undefined) return UNSEARCHED;
  const match = boundedExec(regex, text.length > MAX_SEARCHED ? text.slice(0, MAX_SEARCHED) : text);
  if (match === undefined)
    throw new A2AError("INVALID_PARAMS", "the message takes too long to be compared with a rule");
  return match === null ? undefined : { match };
}

const UNSEARCHED = { match: undefined };

function testsOf(when: StaticCondition): readonly Test[] {
  const { text: whole, contains, data, messageIdPrefix, contextId, taskState } = when;
  const tests: Test[] = [];
  if (messageIdPrefix !== undefined)
    tests.push((turn) => turn.message.messageId.startsWith(messageIdPrefix));
  if (contextId !== undefined) tests.push((turn) => turn.contextId === contextId);
  if (taskState !== undefined) {
    const state = taskState === "none" ? undefined : STATE_OF[taskState];
    tests.push((turn) => turn.task?.status.state === state);
  }
  if (whole !== undefined) tests.push((_, text) => text === whole);
  if (contains !== undefined) tests.push((_, text) => text.includes(contains));
  if (data !== undefined)
    tests.push(({ message }) =>
      message.parts.some((part) => part.data !== undefined && isSubset(data, part.data)),
    );
  return tests;
}

function regexOf({ regex, flags = "" }: StaticCondition, path: string): RegExp | undefined {
  if (regex === undefined) return undefined;
  if (!/^[dimsuv]*$/.test(flags)) throw new SettingError(path, "flags must be of d, i, m, s, u, v");
  try {
    return new RegExp(regex, flags);
  } catch (thrown) {
    throw new SettingError(path, thrown instanceof Error ? thrown.message : "invalid", {
      cause: thrown,
    });
  }
}

function isSubset(expected: JsonValue, actual: JsonValue): boolean {
  if (typeof expected !== "object" || expected === null) return expected === actual;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  if (Array.isArray(expected) && expected.length !== Object.keys(actual).length) return false;
  const members = actual as { readonly [name: string]: JsonValue };
  return Object.entries(expected as typeof members).every(([name, value]) => {
    const found = Object.hasOwn(members, name) ? members[name] : undefined;
    return found !== undefined && isSubset(value, found);
  });
}
