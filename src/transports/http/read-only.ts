/** What the addresses that are only read have in common: their methods, and the copies that callers hold. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { preflight } from "./cors.ts";
import { sendJson } from "./door.ts";

const METHODS = "GET, HEAD, OPTIONS";

/** Whether the request reads. Answers every other one: a preflight, or 405 with `notAllowed`, which is JSON. */
export function isRead(
  { method }: IncomingMessage,
  res: ServerResponse,
  notAllowed: string,
): boolean {
  if (method === "OPTIONS") preflight(res, "*", METHODS);
  else {
    res.setHeader("Access-Control-Allow-Origin", "*");
    if (method === "GET" || method === "HEAD") return true;
    sendJson(res, 405, notAllowed, ["Allow", METHODS, "Cache-Control", "no-store"]);
  }
  return false;
}

/** Whether `If-None-Match` names the tag. Compares weakly (RFC 9110, 13.1.2); a tag may hold commas. */
export function isNamedIn(list: string, etag: string): boolean {
  if (list.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return list.match(/"[^"]*"/g)?.includes(opaque) ?? false;
}
