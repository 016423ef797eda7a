/** Where the doors of an agent are, as its card says it. */
import type { AgentInterface } from "../protocol/agent-card.ts";

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

/** The addresses that callers use; request headers have no say in them. */
export interface PublicAddress {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** `host:port`, as gRPC clients want it. */
  readonly grpcTarget: string;
}

const PROTOCOL_VERSION = "1.0";

/** The public URL if there is one, else the address of the listener itself. */
export function publicAddressOf(
  publicUrl: string | undefined,
  listener: ListenerAddress,
): PublicAddress {
  if (publicUrl !== undefined) {
    const url = new URL(publicUrl);
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    return { baseUrl: publicUrl.replace(/\/+$/, ""), grpcTarget: `${url.hostname}:${port}` };
  }
  const authority = `${urlHostOf(listener.host)}:${listener.port}`;
  return { baseUrl: `http://${authority}`, grpcTarget: authority };
}

/** The doors of one agent, the preferred one first (spec 8.3.1). */
export function interfacesOf(agent: string, address: PublicAddress): readonly AgentInterface[] {
  const url = `${address.baseUrl}/a2a/${agent}`;
  return [
    { url, protocolBinding: "JSONRPC", protocolVersion: PROTOCOL_VERSION },
    { url, protocolBinding: "HTTP+JSON", protocolVersion: PROTOCOL_VERSION },
    {
      url: address.grpcTarget,
      protocolBinding: "GRPC",
      tenant: agent,
      protocolVersion: PROTOCOL_VERSION,
    },
  ];
}

/** A listener on every interface is told of by the one that is surely reachable from here. */
function urlHostOf(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
