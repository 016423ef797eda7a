/** Answers by rules; see config.ts. Whatever does not depend on the turn is made here once. */
import { setTimeout } from "node:timers/promises";
import type { Handler, HandlerEvent, Turn } from "../../core/ports/handler.ts";
import { messageText } from "../message-text.ts";
import { conditionOf, groupsOf, holds, type Condition } from "./condition.ts";
import type { StaticConfig, StaticReply } from "./config.ts";
import { render, type Context } from "./rendered.ts";
import { stepsOf, type Step } from "./script.ts";

interface Rule {
  readonly condition: Condition;
  readonly steps: readonly Step[];
}

const NO_RULE: StaticReply = {
  script: [{ status: "rejected", message: "this agent has no answer to this message" }],
};

/** Throws an Error with the path of what is wrong in the configuration. */
export function createStaticHandler(config: StaticConfig): Handler {
  const rules = (config.rules ?? []).map((rule, index): Rule => {
    const path = `rules[${index}]`;
    const condition = conditionOf(rule.when, `${path}.when`);
    return { condition, steps: stepsOf(rule, { path, groups: groupsOf(condition.regex) }) };
  });
  const otherwise = stepsOf(config.otherwise ?? NO_RULE, { path: "otherwise", groups: new Set() });
  return { handle: (turn) => answer(rules, otherwise, turn) };
}

function answer(
  rules: readonly Rule[],
  otherwise: readonly Step[],
  turn: Turn,
): AsyncIterable<HandlerEvent> {
  const text = messageText(turn);
  for (const { condition, steps } of rules) {
    const held = holds(condition, turn, text);
    if (held !== undefined) return perform(steps, { turn, text, match: held.match });
  }
  return perform(otherwise, { turn, text, match: undefined });
}

async function* perform(steps: readonly Step[], context: Context): AsyncGenerator<HandlerEvent> {
  for (const step of steps) {
    switch (step.kind) {
      case "event":
        yield render(step.event, context);
        break;
      case "delay":
        await pause(step.milliseconds, context.turn.signal);
        if (context.turn.signal.aborted) return;
        break;
      case "error":
        throw render(step.error, context);
    }
  }
}

/** Ends early when the turn does. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}
