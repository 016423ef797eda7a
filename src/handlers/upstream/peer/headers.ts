/** What goes along with a call, as headers or as metadata. */
import type { ClientDialect } from "../../../wire/client.ts";
import type { PeerCall } from "./peer.ts";

/** The version is announced on every call; what the caller gave never says another. */
export function headersOf(dialect: ClientDialect, call: PeerCall): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(call.headers)) headers[name.toLowerCase()] = value;
  headers["a2a-version"] = dialect.version;
  if (call.extensions.length > 0) headers[dialect.extensionHeader] = call.extensions.join(", ");
  return headers;
}
