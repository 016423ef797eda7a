import { z } from "zod";
import { SHORT_STATES } from "../../handlers/names.ts";
import type { StaticConfig, StaticReply, StaticRule } from "../../handlers/static/config.ts";
import { exactlyOne } from "../one-of.ts";
import { json, listOf, mapping, oneOf, text } from "../fields.ts";
import { message } from "./static-content.ts";
import { step } from "./static-steps.ts";

const condition = mapping({
  text: text.exactOptional(),
  contains: text.exactOptional(),
  regex: text.exactOptional(),
  flags: text.regex(/^[dimsuv]*$/, { error: "expected flags of d, i, m, s, u, v" }).exactOptional(),
  data: json.exactOptional(),
  messageIdPrefix: text.exactOptional(),
  contextId: text.exactOptional(),
  taskState: oneOf([...SHORT_STATES, "none"]).exactOptional(),
}).check(
  z.refine(({ regex, flags }) => regex === undefined || compiles(regex, flags), {
    path: ["regex"],
    error: "expected a regular expression of JavaScript",
  }),
);

const replyShape = {
  message: message.exactOptional(),
  script: listOf(step).min(1, { error: "expected at least one step" }).exactOptional(),
};

interface Written {
  readonly message?: Extract<StaticReply, { message: unknown }>["message"];
  readonly script?: Extract<StaticReply, { script: unknown }>["script"];
}

const reply = mapping(replyShape)
  .check(exactlyOne(["message", "script"]))
  .transform(replyOf);

const rule = mapping({ when: condition, ...replyShape })
  .check(exactlyOne(["message", "script"]))
  .transform(({ when, ...written }): StaticRule => ({ when, ...replyOf(written) }));

export const staticSchema = mapping({
  rules: listOf(rule).exactOptional(),
  otherwise: reply.exactOptional(),
}).transform((value): StaticConfig => ({ kind: "static", ...value }));

function replyOf({ message, script }: Written): StaticReply {
  return message === undefined ? { script: script ?? [] } : { message };
}

function compiles(regex: string, flags = ""): boolean {
  try {
    new RegExp(regex, flags);
    return true;
  } catch {
    return false;
  }
}
