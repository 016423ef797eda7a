/** The steps of a canned answer's script. */
import { z } from "zod";
import type { StaticStep } from "../../handlers/static/config.ts";
import { ERROR_NAMES, SHORT_STATES } from "../../handlers/names.ts";
import { exactlyOneGroup } from "../one-of.ts";
import { filledText, flag, jsonObject, listOf, mapping, oneOf, text } from "../fields.ts";
import { duration, positiveDuration } from "../units.ts";
import { chunk, CONTENT_KEYS, contentShape, message } from "./static-content.ts";

const statusStep = mapping({
  status: oneOf(SHORT_STATES),
  message: message.exactOptional(),
  metadata: jsonObject.exactOptional(),
});

const artifact = mapping({
  ...contentShape,
  id: filledText.exactOptional(),
  name: text.exactOptional(),
  description: text.exactOptional(),
  chunks: listOf(chunk).min(1, { error: "expected at least one chunk" }).exactOptional(),
  chunkDelay: duration.exactOptional(),
  append: flag.exactOptional(),
  lastChunk: flag.exactOptional(),
  metadata: jsonObject.exactOptional(),
  extensions: listOf(filledText).exactOptional(),
}).check(
  exactlyOneGroup([CONTENT_KEYS, ["chunks"]]),
  z.refine((value) => value.append !== true || value.id !== undefined, {
    error: "expected id, which append needs",
  }),
);

const failure = mapping({ name: oneOf(ERROR_NAMES), message: text });

export const step = z.union(
  [
    statusStep,
    mapping({ artifact }),
    mapping({ delay: positiveDuration }),
    mapping({ error: failure }),
    mapping({ fail: text }),
  ],
  { error: "expected a step with status, artifact, delay, error or fail" },
) satisfies z.ZodType<StaticStep>;
