/** What mutated requests may refer to: what is there, and what callers bring. */
export type Headers = Readonly<Record<string, string>>;

export interface World {
  readonly port: number;
  /** Ids of tasks that have ended, that wait for their caller, and that nobody has. */
  readonly tasks: readonly string[];
  readonly contexts: readonly string[];
  readonly pageTokens: readonly string[];
  /** What requests bring of credentials, the good ones most often; nothing where nobody is asked. */
  readonly credentials: readonly Headers[];
}

/** The credentials that open every door. */
export function keyOf({ credentials }: World): Headers {
  return credentials[0] ?? {};
}

export const DOORS = [
  { name: "JSON-RPC 1.0", binding: "jsonrpc", version: "1.0" },
  { name: "HTTP+JSON 1.0", binding: "rest", version: "1.0" },
  { name: "gRPC 1.0", binding: "grpc", version: "1.0" },
  { name: "JSON-RPC 0.3", binding: "jsonrpc", version: "0.3" },
  { name: "HTTP+JSON 0.3", binding: "rest", version: "0.3" },
  { name: "gRPC 0.3", binding: "grpc", version: "0.3" },
] as const;

export type Door = (typeof DOORS)[number];
export type Version = Door["version"];
