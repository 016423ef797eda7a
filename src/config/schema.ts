/** Every setting of the gateway. In a checked configuration durations are milliseconds and sizes bytes. */
import { z } from "zod";
import { AGENT_ID } from "../protocol/agent-id.ts";
import { access } from "./access.ts";
import { agentSchema } from "./agent-schema.ts";
import { audit } from "./audit.ts";
import { callLimits, fittingExceptions } from "./call-limits.ts";
import { connections } from "./connections.ts";
import { eachKey } from "./each-key.ts";
import { filledText, flag, group, listOf, mapping, oneOf, text } from "./fields.ts";
import { ports } from "./ports.ts";
import { push } from "./push.ts";
import { signingKeys } from "./signing-keys.ts";
import { tls } from "./tls.ts";
import { token } from "./token.ts";
import { turns } from "./turns.ts";
import { address, addressOrOff, baseUrl, hostName, network } from "./addresses.ts";
import { count, countOrOff, duration, durationOrNever, period, size, sizeOrOff } from "./units.ts";
import { written } from "./written.ts";

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

const CARD_FORMS = ["hybrid", "1.0", "0.3"] as const;

/** YAML reads an unquoted 1.0 as the number 1. */
const cardForm = written(`one of ${CARD_FORMS.join(", ")}`, (text) =>
  CARD_FORMS.find((form) => form === (text === "1" ? "1.0" : text)),
);

/** What a path begins with that is not below an agent: `/tasks/…` would be a task of one agent or another agent's door. */
const PATH_WORDS: readonly string[] = ["a2a", "tasks", "v1"];

const origin = written("an origin such as https://app.example.com, or *", (value) =>
  value === "*" || (URL.canParse(value) && new URL(value).origin === value) ? value : undefined,
);

export const agentsSchema = z
  .record(z.string(), agentSchema, { error: "expected a mapping of agent ids to agents" })
  .check(
    z.refine((value) => Object.keys(value).length > 0, { error: "expected at least one agent" }),
    eachKey((id) => {
      if (PATH_WORDS.includes(id))
        return `expected an agent id other than ${PATH_WORDS.join(", ")}, which are words of the paths`;
      return AGENT_ID.test(id)
        ? undefined
        : "expected an agent id: lower-case letters, digits and dashes, at most 63, no dash in front";
    }),
  );

export const configSchema = mapping({
  listen: address.prefault("127.0.0.1:8080"),
  grpcListen: address.exactOptional(),
  tls: tls.exactOptional(),
  publicUrl: baseUrl.exactOptional(),
  database: filledText.prefault("./a2a-gateway.db"),
  primary: text.exactOptional(),
  ops: group({
    listen: addressOrOff.prefault("127.0.0.1:9090"),
    token: token.exactOptional(),
    tls: tls.exactOptional(),
  }),
  log: group({ level: oneOf(LOG_LEVELS).prefault("info"), requests: flag.prefault(true) }),
  limits: group({
    messageBytes: size.prefault("4MiB"),
    runningTasks: count(1).prefault(10_000),
    turns,
    connections,
    quota: group({ tasks: countOrOff(1).prefault("off"), bytes: sizeOrOff.prefault("off") }),
    streamBuffer: count(1).prefault(20_000),
    pageSize: count(1, 100).prefault(50),
    calls: callLimits,
  }),
  sse: group({ heartbeat: duration.prefault("15s") }),
  stop: group({ grace: duration.prefault("10s") }),
  retention: group({
    entries: durationOrNever.prefault("1d"),
    finished: durationOrNever.prefault("never"),
    unfinished: durationOrNever.prefault("never"),
  }),
  cors: group({ origins: listOf(origin).prefault([]) }),
  cards: group({
    maxAge: period.prefault("5m"),
    unversioned: cardForm.prefault("hybrid"),
    signing: signingKeys.prefault([]),
  }),
  push,
  access,
  audit: audit.exactOptional(),
  v03: group({ grpcBlockingDefault: flag.prefault(true), grpcScheme: flag.prefault(false) }),
  trustedProxies: listOf(network).prefault([]),
  allowedHosts: listOf(hostName).prefault([]),
  agents: agentsSchema,
}).check(
  z.refine(({ primary, agents }) => primary === undefined || Object.hasOwn(agents, primary), {
    path: ["primary"],
    error: "expected the id of one of the agents",
    when: ({ value }) => hasAgents(value),
  }),
  ports,
  fittingExceptions,
);

/** Whether there are agents to compare with, however wrong the rest is. */
function hasAgents(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("agents" in value)) return false;
  return typeof value.agents === "object" && value.agents !== null;
}

export type Settings = z.output<typeof configSchema>;

/** One agent, checked. */
export type AgentConfig = Settings["agents"][string];
