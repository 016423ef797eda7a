/** The headers of a request to an agent's endpoint. */

type Headers = Readonly<Record<string, string>>;

/** These describe the caller's own request: sent along with another body, they would break it. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function headersOf(caller: Headers, configured: Headers, accept: string): Headers {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (!NOT_PASSED_ON.has(name) && isSendable(value)) headers[name] = value;
  }
  for (const [name, value] of Object.entries(configured)) headers[name.toLowerCase()] = value;
  return { ...headers, accept, "content-type": "application/json" };
}

/** Metadata of gRPC callers may hold what HTTP/1.1 headers may not. */
function isSendable(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
