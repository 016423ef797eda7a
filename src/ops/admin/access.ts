/** Who may use the Admin API. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { A2AError } from "../../protocol/errors.ts";
import type { Principal } from "../../protocol/principal.ts";
import { callerOf } from "./callers.ts";
import type { AdminAccess } from "./ports.ts";

/**
 * Lets a request through, and says which caller of the agents sent it, if any. Throws UNAUTHENTICATED for whoever is asked
 * and has nothing that is good; FORBIDDEN where there is nothing to ask for and the port is reached from elsewhere, or a
 * browser may be sending what another site told it to; and what `callers.authenticate` throws.
 */
export function checkOf({
  token,
  isLoopback,
  callers,
}: AdminAccess): (request: IncomingMessage) => Promise<Principal | undefined> {
  const hasToken = token === undefined ? () => false : carriesToken(token);
  return async (request) => {
    if (hasToken(request)) return undefined;
    if (callers !== undefined) return callerOf(request, callers);
    if (token !== undefined)
      throw new A2AError("UNAUTHENTICATED", "the operations token is needed");
    if (!isLoopback) throw new A2AError("FORBIDDEN", NOTHING_TO_ASK_FOR);
    checkBrowser(request);
    return undefined;
  };
}

const NOTHING_TO_ASK_FOR =
  "ops.token must be set where the operations port is not on a loopback address";

/** A browser sends no such header on its own, and to let a page add it would take our leave: no other check is needed. */
function carriesToken(token: string): (request: IncomingMessage) => boolean {
  const expected = digestOf(token);
  return ({ headers }) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
}

/** Of one length for all tokens, so that they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * Whoever is on this machine may come, a browser here included: but not for a page of another site. A name that such a
 * site has let point here is in `Host`; a page's own site is in `Origin`, which browsers send with whatever may change
 * something, and is told in `Sec-Fetch-Site` of everything else.
 */
function checkBrowser({ headers, socket }: IncomingMessage): void {
  const { host = "", origin } = headers;
  const own = `${"encrypted" in socket ? "https" : "http"}://${host}`.toLowerCase();
  if (!isLocal(host)) throw new A2AError("FORBIDDEN", `host ${JSON.stringify(host)} is not ours`);
  if (origin !== undefined && origin.toLowerCase() !== own)
    throw new A2AError("FORBIDDEN", `origin ${JSON.stringify(origin)} is not ours`);
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw new A2AError("FORBIDDEN", "pages of other sites have no access");
}

/** Whether a host, with or without its port, is an address or localhost: nobody else can have it point here. */
function isLocal(host: string): boolean {
  const [, v6, name = ""] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/.exec(host) ?? [];
  return v6 === undefined ? isIP(name) === 4 || name.toLowerCase() === "localhost" : isIP(v6) === 6;
}
