/** The addresses that callers use. Of a request only an allow-listed origin has a say in them. */

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
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

export interface AddressSettings {
  readonly publicUrl?: string;
  /** The id of the agent that is served at the root. */
  readonly primary: string;
  readonly agents: Readonly<Record<string, { readonly publicUrl?: string }>>;
}

/** Where the listeners are. Asked when a card is made, which is after listening. */
export interface Listening {
  /** False while not all of them are open: what is said of them may still change. */
  readonly isFinal: boolean;
  readonly shared: ListenerAddress;
  /** By the ids of the agents that have a listener of their own. */
  readonly own: ReadonlyMap<string, ListenerAddress>;
}

export type AddressOf = (agent: string, reached?: Reached) => PublicAddress;

/** Public URLs go before origins, origins before what the listeners say of themselves. */
export function addressesOf(settings: AddressSettings, listening: () => Listening): AddressOf {
  const { publicUrl, primary, agents } = settings;
  return (agent, { origin, atOwn } = {}) => {
    const { shared, own } = listening();
    const listener = own.get(agent);
    const ownUrl = listener && agents[agent]?.publicUrl;
    if (ownUrl !== undefined) return atRoot(ownUrl);
    if (publicUrl !== undefined) return below(publicUrl);
    if (origin !== undefined) return listener && atOwn ? atRoot(origin) : below(origin);
    return listener ? atRoot(originOf(listener)) : below(originOf(shared));

    function below(url: string): PublicAddress {
      const { rootUrl, grpcTarget } = atRoot(url);
      const baseUrl = `${rootUrl}/a2a/${agent}`;
      return { rootUrl, baseUrl, grpcTarget, isRoot: agent === primary };
    }
  };
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
function originOf({ host, port }: ListenerAddress): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
