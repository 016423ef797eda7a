/** One agent in the configuration: its card, its limits and exactly one handler. */
import { z } from "zod";
import { callLimit } from "./call-limits.ts";
import { HANDLER_KINDS, HANDLER_SCHEMAS, withHandler } from "./handlers/index.ts";
import { exactlyOne, onlyBeside, textUnless } from "./one-of.ts";
import {
  filledText,
  flag,
  headerName,
  jsonObject,
  listOf,
  mapping,
  mediaType,
  oneOf,
  setOf,
  text,
} from "./fields.ts";
import { tls } from "./tls.ts";
import { turnsOfAgent } from "./turns.ts";
import { baseUrl, webUrl } from "./addresses.ts";
import { count, duration, period } from "./units.ts";

/** By the names that agent cards use. */
const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

const modes = listOf(mediaType).min(1, { error: "expected at least one media type" });

const skill = mapping({
  id: filledText,
  name: filledText,
  description: text,
  tags: listOf(text).prefault([]),
  examples: listOf(text).exactOptional(),
  inputModes: modes.exactOptional(),
  outputModes: modes.exactOptional(),
});

const extension = mapping({
  uri: filledText,
  description: text.exactOptional(),
  required: flag.prefault(false),
  params: jsonObject.exactOptional(),
});

const provider = mapping({ organization: filledText, url: webUrl });

const extendedCard = mapping({
  name: filledText.exactOptional(),
  description: text.exactOptional(),
  version: filledText.exactOptional(),
  documentationUrl: webUrl.exactOptional(),
  iconUrl: webUrl.exactOptional(),
  provider: provider.exactOptional(),
  skills: listOf(skill).prefault([]),
});

/** What webhooks of the agent's tasks are told, or `off` as undefined. */
const push = z
  .union(
    [
      z.literal("off"),
      mapping({ events: oneOf(["status", "default", "all"]).prefault("default") }),
    ],
    { error: "expected a mapping with events, or off" },
  )
  .transform((value) => (value === "off" ? undefined : value));

export const agentSchema = mapping({
  name: filledText.exactOptional(),
  description: text.exactOptional(),
  version: filledText.exactOptional(),
  provider: provider.exactOptional(),
  documentationUrl: webUrl.exactOptional(),
  iconUrl: webUrl.exactOptional(),
  skills: listOf(skill).exactOptional(),
  defaultInputModes: modes.exactOptional(),
  defaultOutputModes: modes.exactOptional(),
  streaming: flag.prefault(true),
  extensions: listOf(extension).exactOptional(),
  extendedCard: extendedCard.exactOptional(),
  forwardHeaders: listOf(headerName).prefault([]),
  turnTimeout: duration.prefault("1h"),
  cancelGrace: duration.prefault("10s"),
  turns: turnsOfAgent.exactOptional(),
  onRestart: oneOf(["fail", "rerun"]).prefault("fail"),
  sharing: oneOf(["none", "tenant", "everyone"]).prefault("none"),
  push: push.prefault({}),
  calls: callLimit.exactOptional(),
  idempotencyWindow: period.prefault(0),
  v03: setOf(oneOf(BINDINGS), "a binding").prefault([...BINDINGS]),
  preferredBinding: oneOf(BINDINGS).prefault("JSONRPC"),
  port: count(0, 65_535).exactOptional(),
  publicUrl: baseUrl.exactOptional(),
  tls: tls.exactOptional(),
  ...HANDLER_SCHEMAS,
})
  .check(
    exactlyOne(HANDLER_KINDS),
    onlyBeside("publicUrl", "port"),
    onlyBeside("tls", "port"),
    // A remote agent has said so itself.
    textUnless("name", "upstream"),
    textUnless("description", "upstream"),
  )
  .transform((written, context) => {
    const { handler, ...agent } = withHandler(written);
    if (handler !== undefined) return { ...agent, handler };
    context.issues.push({ code: "custom", message: "expected a handler", input: written });
    return z.NEVER;
  });
