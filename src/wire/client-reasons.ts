/** An agent's error as one of the gateway's own. */
import { A2AError, ERRORS, type ErrorReason } from "../protocol/errors.ts";
import type { SaidDetails } from "./client-error-details.ts";
import { NAMES, WORDS } from "./v0_3/errors.ts";

export interface AgentFailure {
  /** Undefined: it is none that the specification knows. */
  readonly reason: ErrorReason | undefined;
  /** What the agent answered with, such as `error -32050`. */
  readonly what: string;
  readonly message: string | undefined;
  readonly details: SaidDetails;
}

const REFUSED = "the agent refuses the gateway";

/** The error for the gateway's own caller: what is between the gateway and the agent is no fault of the caller. */
export function agentError({ reason, what, message, details }: AgentFailure): A2AError {
  const told = message === undefined || message === "" ? undefined : shortened(message);
  const { violations, retryAfter } = details;
  const rest = Object.assign(
    {},
    violations && { violations },
    retryAfter !== undefined && { retryAfter },
  );
  const answered = `the agent answered with ${what}`;
  if (reason === "UNAUTHENTICATED" || reason === "FORBIDDEN")
    return new A2AError("UNAVAILABLE", REFUSED, rest);
  const known = reason === undefined ? undefined : (TO_CALLERS[reason] ?? reason);
  if (known === undefined || known !== reason || told === undefined)
    return new A2AError(
      known ?? "INVALID_AGENT_RESPONSE",
      told === undefined ? answered : `${answered}: ${told}`,
      rest,
    );
  return new A2AError(known, told, rest);
}

/** What means something else to the gateway's caller than to the gateway. */
const TO_CALLERS: Readonly<Partial<Record<ErrorReason, ErrorReason>>> = {
  METHOD_NOT_FOUND: "UNSUPPORTED_OPERATION",
  METHOD_NOT_ALLOWED: "UNSUPPORTED_OPERATION",
  UNSUPPORTED_MEDIA_TYPE: "CONTENT_TYPE_NOT_SUPPORTED",
  PARSE_ERROR: "INVALID_AGENT_RESPONSE",
  CANCELLED: "UNAVAILABLE",
};

/** The reasons with codes that the specification has given out: agents use all others as they please. */
const SPECIFIED = [
  "TASK_NOT_FOUND",
  "TASK_NOT_CANCELABLE",
  "PUSH_NOTIFICATION_NOT_SUPPORTED",
  "UNSUPPORTED_OPERATION",
  "CONTENT_TYPE_NOT_SUPPORTED",
  "INVALID_AGENT_RESPONSE",
  "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
  "EXTENSION_SUPPORT_REQUIRED",
  "VERSION_NOT_SUPPORTED",
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "METHOD_NOT_FOUND",
  "INVALID_PARAMS",
  "INTERNAL_ERROR",
] as const satisfies readonly ErrorReason[];

const BY_CODE: ReadonlyMap<number, ErrorReason> = new Map(
  SPECIFIED.map((reason) => [ERRORS[reason].jsonrpc, reason]),
);

export function reasonOfCode(code: number | undefined): ErrorReason | undefined {
  return code === undefined ? undefined : BY_CODE.get(code);
}

const BY_NAME: ReadonlyMap<string, ErrorReason> = new Map([
  ...SPECIFIED.map((reason) => [plain(reason), reason] as const),
  ...(Object.keys(NAMES) as ErrorReason[]).map(
    (reason) => [plain(NAMES[reason] ?? ""), reason] as const,
  ),
]);

/** By the name of an error's type, bare or at the end of a class name or URL: `io.a2a.spec.TaskNotFoundError`. */
export function reasonOfName(name: string | undefined): ErrorReason | undefined {
  return name === undefined ? undefined : BY_NAME.get(plain(name.split(/[./#]/).at(-1) ?? ""));
}

/** However it is spelt: `TaskNotFoundError`, `TASK_NOT_FOUND` and `task-not-found` are one. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/error$/, "");
}

const BY_WORDS = (Object.keys(WORDS) as ErrorReason[]).map(
  (reason) => [(WORDS[reason] ?? "").toLowerCase(), reason] as const,
);

/** By the message that the specification of 0.3 has for an error: with some agents it is all that tells it. */
export function reasonOfWords(message: string | undefined): ErrorReason | undefined {
  const text = message?.toLowerCase() ?? "";
  return BY_WORDS.find(([words]) => text.startsWith(words))?.[1];
}

const LONGEST = 500;

/** Whole characters only. */
function shortened(message: string): string {
  const text = Buffer.from(message, "utf8").toString("utf8");
  return text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
