/** What is left of limits, in the fields of draft-ietf-httpapi-ratelimit-headers-11. */
import type { ServerResponse } from "node:http";
import type { Quota } from "../../protocol/quota.ts";

/** Adds a limit to an answer that has not begun. */
export function tellQuota(res: ServerResponse, { limit, most, window, left, next }: Quota): void {
  if (res.headersSent) return;
  add(res, "RateLimit-Policy", `"${limit}";q=${most};w=${window}`);
  add(res, "RateLimit", `"${limit}";r=${left};t=${next}`);
}

function add(res: ServerResponse, name: string, item: string): void {
  const known = res.getHeader(name);
  res.setHeader(name, known === undefined ? item : `${String(known)}, ${item}`);
}
