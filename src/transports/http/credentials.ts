/** What an HTTP request brings that may say who sent it. */
import type { IncomingMessage } from "node:http";
import type { Asked } from "../../protocol/asked.ts";
import type { Credentials } from "../request.ts";
import { peerCertificateOf } from "../tls-peer.ts";
import { plainHeaders } from "./call.ts";

/** `address` is the caller's, as it is known behind proxies. */
export function credentialsOf(
  req: IncomingMessage,
  { query, address, asked }: { query: string; address: string; asked: Asked },
): Credentials {
  return {
    headers: plainHeaders(req.headers),
    query: query === "" ? NO_QUERY : new URLSearchParams(query),
    certificate: peerCertificateOf(req),
    address,
    asked,
  };
}

const NO_QUERY = new URLSearchParams();
