/** Who called, as far as the caller's certificate says so. */
import type { IncomingMessage } from "node:http";
import { TLSSocket, type PeerCertificate as NodeCertificate } from "node:tls";

/** One that an authority of the listener vouches for. */
export interface PeerCertificate {
  /** CN of the subject; undefined where there is none, or several. */
  readonly commonName: string | undefined;
  /** The subject's alternative names (RFC 5280, 4.2.1.6) with their kinds: `DNS:a.example`, `URI:spiffe://a/b`. */
  readonly names: readonly string[];
  /** SHA-256 of the certificate, as hexadecimal pairs with colons between. */
  readonly fingerprint256: string;
}

type HttpRequest = Pick<IncomingMessage, "socket">;

/** What a gRPC call tells of its connection: nothing of a certificate that is not trusted. */
interface GrpcCall {
  getAuthContext(): { readonly sslPeerCertificate?: NodeCertificate };
}

/**
 * The certificate that the caller showed when the connection was made, of a request or a gRPC call; undefined where
 * there is none, or none of an authority that the listener trusts.
 */
export function peerCertificateOf(source: HttpRequest | GrpcCall): PeerCertificate | undefined {
  const shown = "getAuthContext" in source ? ofCall(source) : ofSocket(source);
  if (shown?.raw === undefined) return undefined;
  const { CN } = shown.subject;
  return {
    commonName: typeof CN === "string" ? CN : undefined,
    names: namesIn(shown.subjectaltname ?? ""),
    fingerprint256: shown.fingerprint256,
  };
}

function ofCall(call: GrpcCall): NodeCertificate | undefined {
  return call.getAuthContext().sslPeerCertificate;
}

function ofSocket({ socket }: HttpRequest): NodeCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  return socket.getPeerCertificate();
}

/** Node puts a name with a comma or a quote in it between quotes, as a JSON text. */
const NAME = /([A-Za-z][\w ]*):("(?:[^"\\]|\\.)*"|[^",]*)(, |$)/y;

/** None at all of a list that cannot be read to its end. */
function namesIn(list: string): readonly string[] {
  const names: string[] = [];
  const pattern = new RegExp(NAME);
  while (pattern.lastIndex < list.length) {
    const [, kind, value = ""] = pattern.exec(list) ?? [];
    if (kind === undefined) return [];
    names.push(`${kind}:${value.startsWith('"') ? String(JSON.parse(value)) : value}`);
  }
  return names;
}
