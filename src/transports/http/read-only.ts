/** What the addresses that are only read have in common: their methods, and the copies that callers hold. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { A2AError } from "../../protocol/errors.ts";
import { restFailure } from "../../wire/v1/errors.ts";
import { preflight } from "./cors.ts";
import { countRequest, errorHeaders, sendJson, type Counting } from "./door.ts";
import type { Origins } from "./origin.ts";

/** What addresses that are only read are served with. */
export interface Counted extends Pick<Counting, "countRequest"> {
  readonly origins: Origins;
}

const METHODS = "GET, HEAD, OPTIONS";

/**
 * Whether the request reads, once it is counted. Answers every other one: a preflight, 405 with `notAllowed`, which is
 * JSON, or what keeps one too many from being answered.
 */
export function isRead(
  { method }: IncomingMessage,
  res: ServerResponse,
  { counting, notAllowed }: { readonly counting: Counting; readonly notAllowed: string },
): boolean {
  if (method === "OPTIONS") {
    preflight(res, "*", METHODS);
    return false;
  }
  res.setHeader("Access-Control-Allow-Origin", "*");
  try {
    countRequest(counting, res);
  } catch (thrown) {
    refuse(res, thrown);
    return false;
  }
  if (method === "GET" || method === "HEAD") return true;
  sendJson(res, 405, notAllowed, ["Allow", METHODS, "Cache-Control", "no-store"]);
  return false;
}

/** Answers what a caller may know, as HTTP+JSON 1.0 does (spec 11.6). Everything else is thrown again. */
export function refuse(res: ServerResponse, thrown: unknown): void {
  if (!A2AError.is(thrown)) throw thrown;
  const error = A2AError.from(thrown);
  const { status, body } = restFailure(error);
  sendJson(res, status, JSON.stringify(body), errorHeaders(error).flat());
}

/** Whether `If-None-Match` names the tag. Compares weakly (RFC 9110, 13.1.2); a tag may hold commas. */
export function isNamedIn(list: string, etag: string): boolean {
  if (list.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return list.match(/"[^"]*"/g)?.includes(opaque) ?? false;
}
