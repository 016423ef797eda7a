/** The Admin API of a running gateway, as the commands for operators call it. */
import { fetch, type Agent } from "undici";
import type { JsonObject } from "../../protocol/json.ts";
import { member, reasonText, RemoteError, textMember } from "../client/remote-error.ts";
import { connectionsOf, type ClientTls } from "../client/tls.ts";
import { CommandError, EXIT } from "../exit.ts";
import { plainWord } from "../plain-text.ts";
import { rowsIn, wordIn } from "./fields.ts";

export interface AdminRequest {
  readonly verb: "GET" | "PUT" | "POST" | "DELETE";
  /** Encoded, from `/admin` on: see `adminPath`. */
  readonly path: string;
  /** What is undefined is not asked for. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: JsonObject;
  /** Where a path that the gateway names in a problem stands in what the user wrote, for a terminal. */
  readonly placeOf?: (path: string) => string;
}

export interface AdminAnswer {
  readonly status: number;
  /** Undefined where the answer is empty. */
  readonly json: unknown;
}

/**
 * Resolves with a good answer. Throws a CommandError with a line for each thing that the gateway finds wrong, and a
 * RemoteError for every other refusal and when there is no answer.
 */
export type Admin = (request: AdminRequest) => Promise<AdminAnswer>;

export interface AdminAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole answer. Absent: without limit. */
  readonly timeoutMs?: number;
  readonly tls?: ClientTls;
}

const LONGEST_ANSWER = 64 * 1024 * 1024;

export function adminAt(address: AdminAddress): Admin {
  const connections = connectionsOf(address.tls, LONGEST_ANSWER);
  return async (request) => {
    const { status, text } = await exchanged(address, request, connections);
    const json = jsonOf(text);
    const isGood = status >= 200 && status < 300 && (json !== undefined || text === "");
    if (isGood) return { status, json };
    throw refusalOf(status, json, request) ?? notAdmin(address, status);
  };
}

/** Lets every request reach what it names: `.` and `..` would be steps in the path. */
export function adminPath(...segments: readonly string[]): string {
  const unfit = segments.find((segment) => /^\.{0,2}$/.test(segment));
  if (unfit !== undefined)
    throw new CommandError(`no id can be ${JSON.stringify(unfit)}`, EXIT.usage);
  return ["/admin", ...segments.map(encodeURIComponent)].join("/");
}

function queryText(query: NonNullable<AdminRequest["query"]>): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) asked.set(name, String(value));
  return asked.size === 0 ? "" : `?${asked.toString()}`;
}

async function exchanged(
  { url, headers, timeoutMs }: AdminAddress,
  { verb, path, query = {}, body }: AdminRequest,
  connections: Agent,
) {
  const target = `${url}${path}${queryText(query)}`;
  try {
    const response = await fetch(target, {
      method: verb,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
      // The token is for this address alone.
      redirect: "manual",
      dispatcher: connections,
    });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new RemoteError(`no answer from ${target}: ${reasonText(cause)}`, { cause });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined for an answer that is not the Admin API's way to refuse. */
function refusalOf(
  status: number,
  json: unknown,
  { placeOf = plainWord }: AdminRequest,
): Error | undefined {
  const error = member(json, "error");
  const message = textMember(error, "message");
  if (message === undefined) return undefined;
  const problems = member(error, "problems") === undefined ? [] : rowsIn(error, "problems");
  if (problems.length === 0)
    return new RemoteError(message, { code: status, reason: textMember(error, "code") });
  const lines = problems.map((problem) =>
    [placeOf(textMember(problem, "path") ?? ""), wordIn(problem, "what")]
      .filter((part) => part !== "")
      .join(": "),
  );
  return new CommandError(lines.join("\n"));
}

function notAdmin({ url }: AdminAddress, status: number): RemoteError {
  return new RemoteError(`no admin API at ${url}: HTTP ${status}`, { code: status });
}
