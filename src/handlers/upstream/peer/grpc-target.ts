/** Where a gRPC interface is, and whether over TLS. */
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";
import { SettingError } from "../../../setting-error.ts";
import { closingSockets } from "./grpc-sockets.ts";
import type { PeerTls } from "./peer.ts";

export interface GrpcTarget {
  readonly target: string;
  readonly credentials: ChannelCredentials;
}

/** `host:port` as cards have it, or a URL, whose path says nothing on gRPC. Throws for anything else. */
export function grpcTargetOf(address: string, tls: PeerTls | undefined): GrpcTarget {
  const [, scheme] = /^(\w+):\/\//.exec(address) ?? [];
  // A URL of http or https hides its default port; one of another scheme does not.
  const text = scheme === undefined ? `grpc://${address}` : address.replace(scheme, "grpc");
  if (!URL.canParse(text))
    throw new SettingError("url", `not the address of a gRPC interface: ${address}`);
  const { hostname, port } = new URL(text);
  const isSecure =
    scheme === undefined
      ? tls !== undefined || port === "" || port === "443"
      : /^(?:https|grpcs)$/i.test(scheme);
  const defaultPort = isSecure ? "443" : "80";
  return {
    target: `dns:${hostname}:${port === "" ? defaultPort : port}`,
    credentials: closingSockets(isSecure ? secured(tls) : credentials.createInsecure()),
  };
}

function secured(tls: PeerTls | undefined): ChannelCredentials {
  return credentials.createSsl(bytesOf(tls?.ca), bytesOf(tls?.key), bytesOf(tls?.cert));
}

function bytesOf(pem: string | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}
