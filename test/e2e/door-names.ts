/** The six doors, by the names that they have in titles: those of 1.0 first. */
export const DOOR_NAMES = [
  "JSON-RPC 1.0",
  "HTTP+JSON 1.0",
  "gRPC 1.0",
  "JSON-RPC 0.3",
  "HTTP+JSON 0.3",
  "gRPC 0.3",
] as const;
