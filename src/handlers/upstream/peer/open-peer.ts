import { openGrpcPeer } from "./grpc-peer.ts";
import { openHttpPeer } from "./http-peer.ts";
import { jsonrpcBinding } from "./jsonrpc.ts";
import type { Peer, PeerSettings } from "./peer.ts";
import { restBinding } from "./rest.ts";

/** Connects with the first call. Throws for a URL that cannot be called. */
export function openPeer(settings: PeerSettings): Peer {
  switch (settings.binding) {
    case "JSONRPC":
      return openHttpPeer(settings, jsonrpcBinding);
    case "HTTP+JSON":
      return openHttpPeer(settings, restBinding);
    case "GRPC":
      return openGrpcPeer(settings);
  }
}
