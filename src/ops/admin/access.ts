/** Who may use the Admin API. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { A2AError } from "../../protocol/errors.ts";
import type { AdminAccess } from "./ports.ts";

/**
 * Lets a request through, or throws: UNAUTHENTICATED without the token where there is one; FORBIDDEN where there is none
 * and the port is reached from elsewhere, or a browser may be sending what another site told it to.
 */
export function checkOf({ token, isLoopback }: AdminAccess): (request: IncomingMessage) => void {
  if (token !== undefined) return tokenCheck(token);
  return isLoopback ? checkBrowser : refuseAll;
}

/** A browser sends no such header on its own, and to let a page add it would take our leave: no other check is needed. */
function tokenCheck(token: string): (request: IncomingMessage) => void {
  const expected = digestOf(token);
  return ({ headers }) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (given === undefined || !timingSafeEqual(digestOf(given), expected))
      throw new A2AError("UNAUTHENTICATED", "the operations token is needed");
  };
}

/** Of one length for all tokens, so that they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function refuseAll(): void {
  throw new A2AError(
    "FORBIDDEN",
    "ops.token must be set where the operations port is not on a loopback address",
  );
}

/**
 * Whoever is on this machine may come, a browser here included: but not for a page of another site. A name that such a
 * site has let point here is in `Host`; a page's own site is in `Origin`, which browsers send with whatever may change
 * something, and is told in `Sec-Fetch-Site` of everything else.
 */
function checkBrowser({ headers }: IncomingMessage): void {
  const { host = "", origin } = headers;
  if (!isLocal(host)) throw new A2AError("FORBIDDEN", `host ${JSON.stringify(host)} is not ours`);
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
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
