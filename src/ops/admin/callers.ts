/** Callers of the agents that may use the Admin API too, for a scope that they have. */
import type { IncomingMessage } from "node:http";
import { A2AError } from "../../protocol/errors.ts";
import type { Principal } from "../../protocol/principal.ts";
import { peerCertificateOf } from "../../transports/tls-peer.ts";
import type { AdminCallers } from "./ports.ts";

/** A key in a query would be in the logs of proxies, and the routes know their parameters. */
const NO_QUERY = { get: () => null };

/**
 * Who sends a request. Throws what `authenticate` throws, UNAUTHENTICATED for whoever is anonymous, and FORBIDDEN for
 * whoever lacks the scope, and where a browser may be sending what another site told it to.
 */
export async function callerOf(
  request: IncomingMessage,
  { authenticate, scope }: AdminCallers,
): Promise<Principal> {
  checkSite(request);
  const principal = await authenticate({
    headers: headersOf(request),
    query: NO_QUERY,
    certificate: peerCertificateOf(request),
    address: request.socket.remoteAddress ?? "",
  });
  if (principal.method === "anonymous")
    throw new A2AError("UNAUTHENTICATED", "credentials are needed");
  if (!principal.scopes.has(scope))
    throw new A2AError("FORBIDDEN", `the scope ${JSON.stringify(scope)} is needed`);
  return principal;
}

/**
 * Cookies and passwords are what a browser sends by itself, whoever wrote the page: only a page of this very port may
 * have it do that. Whether it came by TLS is known to a proxy before the port alone.
 */
function checkSite({ headers }: IncomingMessage): void {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && hostIn(origin) !== host.toLowerCase())
    throw new A2AError("FORBIDDEN", `origin ${JSON.stringify(origin)} is not ours`);
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw new A2AError("FORBIDDEN", "pages of other sites have no access");
}

function hostIn(origin: string): string | undefined {
  return /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase();
}

/** As the doors have them: a header that came more than once is one text. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
