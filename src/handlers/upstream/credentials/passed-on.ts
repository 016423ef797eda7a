/** Which of a caller's headers may go on to an agent, among those that its configuration lets through. */

/** These describe the caller's own connection and request, or are the gateway's to say. */
const NEVER: ReadonlySet<string> = new Set([
  "a2a-extensions",
  "a2a-version",
  "accept",
  "accept-encoding",
  "connection",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "last-event-id",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "x-a2a-extensions",
]);

/** The entity headers belong to another body, gRPC's own to another call. */
const NEVER_BEGINNING = /^(?:content-|grpc-|if-|:)/;

export function isPassedOn(name: string, value: string): boolean {
  if (NEVER.has(name) || NEVER_BEGINNING.test(name) || name.endsWith("-bin")) return false;
  // What a header of HTTP/1.1 and metadata of gRPC may hold alike.
  return /^[\x20-\x7e]*$/.test(value);
}
