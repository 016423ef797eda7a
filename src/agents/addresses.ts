/** The addresses that callers use. Of a request only an allow-listed origin has a say in them. */

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
  /** Whether it speaks TLS. */
  readonly isSecure?: boolean;
}

export interface PublicAddress {
  /** Where the root of the listener is, without a slash at the end. */
  readonly rootUrl: string;
  /** What the paths of the bindings are added to, without a slash at the end. */
  readonly baseUrl: string;
  /** `host:port`, as gRPC clients want it. */
  readonly grpcTarget: string;
  /** Whether a call that names no agent is for this one. */
  readonly isRoot: boolean;
}

/** How the caller came to where the card is served. */
export interface Reached {
  /** An origin that the configuration allows cards to name. */
  readonly origin?: string | undefined;
  /** Through the listener that is the agent's own. */
  readonly atOwn?: boolean;
}

/** Where the listeners are. */
export interface Listening {
  readonly shared: ListenerAddress;
  /** By the ids of the agents that have a listener of their own. */
  readonly own: ReadonlyMap<string, ListenerAddress>;
}

export interface Addressed {
  readonly agent: string;
  /** The id of the agent that is served at the root. */
  readonly primary: string;
  /** Where the listener that all agents share is reached. */
  readonly publicUrl: string | undefined;
  /** Where the agent's own listener is reached. */
  readonly ownUrl: string | undefined;
  readonly listening: Listening;
  readonly reached: Reached | undefined;
}

/** Public URLs go before origins, origins before what the listeners say of themselves. */
export function addressOf({ agent, listening, ...input }: Addressed): PublicAddress {
  const { primary, publicUrl, ownUrl, reached: { origin, atOwn } = {} } = input;
  const listener = listening.own.get(agent);
  if (listener && ownUrl !== undefined) return atRoot(ownUrl);
  if (publicUrl !== undefined) return below(publicUrl);
  if (origin !== undefined) return listener && atOwn ? atRoot(origin) : below(origin);
  return listener ? atRoot(originOf(listener)) : below(originOf(listening.shared));

  function below(url: string): PublicAddress {
    const { rootUrl, grpcTarget } = atRoot(url);
    const baseUrl = `${rootUrl}/a2a/${agent}`;
    return { rootUrl, baseUrl, grpcTarget, isRoot: agent === primary };
  }
}

function atRoot(url: string): PublicAddress {
  const { protocol, hostname, port } = new URL(url);
  const rootUrl = url.replace(/\/+$/, "");
  return {
    rootUrl,
    baseUrl: rootUrl,
    grpcTarget: `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`,
    isRoot: true,
  };
}

/** A listener on every interface is told of by the one that is surely reachable from here. */
export function originOf({ host, port, isSecure = false }: ListenerAddress): string {
  return `${isSecure ? "https" : "http"}://${reachable(host)}:${port}`;
}

function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
