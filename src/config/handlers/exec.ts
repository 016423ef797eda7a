import { z } from "zod";
import type { ExecConfig } from "../../handlers/exec/config.ts";
import { filledText, flag, listOf, mapping, oneOf, text } from "../fields.ts";
import { count, duration, positiveDuration, size } from "../units.ts";

const words = listOf(text).min(1, { error: "expected a program and its arguments" });

const command = z.union([filledText, words], {
  error: "expected a command line, or a program and its arguments as a list",
});

const full = mapping({
  command,
  shell: flag.exactOptional(),
  mode: oneOf(["plain", "events"]).exactOptional(),
  stream: flag.exactOptional(),
  cwd: filledText.exactOptional(),
  env: z.record(z.string(), text, { error: "expected a mapping" }).exactOptional(),
  timeout: duration.exactOptional(),
  killGrace: positiveDuration.exactOptional(),
  maxOutput: size.exactOptional(),
  maxLine: size.exactOptional(),
  concurrency: count(1).exactOptional(),
  maxQueue: count(0).exactOptional(),
});

export const execSchema = z
  .union([filledText, words, full], {
    error: "expected a command line, a list of words, or a mapping with command",
  })
  .transform((value): ExecConfig => {
    const isShort = typeof value === "string" || Array.isArray(value);
    return isShort ? { kind: "exec", command: value } : { kind: "exec", ...value };
  });
