/** What the messages and artifacts of canned answers hold. */
import { z } from "zod";
import type { StaticContent, StaticMessage } from "../../handlers/static/config.ts";
import { atLeastOne, exactlyOne } from "../one-of.ts";
import { filledText, json, jsonObject, listOf, mapping, mediaType, text } from "../fields.ts";

const base64 = text.check(
  z.refine((value) => Buffer.from(value, "base64").toString("base64") === value, {
    error: "expected standard base64",
  }),
);

const file = mapping({
  name: text.exactOptional(),
  mediaType: mediaType.exactOptional(),
  base64: base64.exactOptional(),
  text: text.exactOptional(),
  url: text.exactOptional(),
}).check(exactlyOne(["base64", "text", "url"]));

const part = mapping({
  text: text.exactOptional(),
  file: file.exactOptional(),
  data: json.exactOptional(),
  mediaType: mediaType.exactOptional(),
  metadata: jsonObject.exactOptional(),
}).check(exactlyOne(["text", "file", "data"]));

export const CONTENT_KEYS = ["text", "file", "data", "parts"] as const;

export const contentShape = {
  text: text.exactOptional(),
  file: file.exactOptional(),
  data: json.exactOptional(),
  parts: listOf(part).exactOptional(),
};

const content = mapping(contentShape).check(atLeastOne(CONTENT_KEYS));

const fullMessage = mapping({
  ...contentShape,
  metadata: jsonObject.exactOptional(),
  extensions: listOf(filledText).exactOptional(),
}).check(atLeastOne(CONTENT_KEYS));

export const message = z.union([text, fullMessage], {
  error: "expected text, or a mapping with text, file, data or parts",
}) satisfies z.ZodType<string | StaticMessage>;

export const chunk = z.union([text, content], {
  error: "expected text, or a mapping with text, file, data or parts",
}) satisfies z.ZodType<string | StaticContent>;
