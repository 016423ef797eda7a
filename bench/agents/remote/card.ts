/** The card of the remote agent of the proxy rows: one interface per binding, all of 1.0 (spec 4.4). */

export interface Addresses {
  /** Of the HTTP bindings, without a slash at the end. */
  readonly origin: string;
  /** `host:port` of the gRPC server. */
  readonly grpc: string;
}

export function cardOf({ origin, grpc }: Addresses): object {
  return {
    name: "Remote",
    description: "Answers with the text of the message",
    version: "1",
    supportedInterfaces: [
      { url: `${origin}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: origin, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url: grpc, protocolBinding: "GRPC", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "echo", name: "Echo", description: "Answers with the text", tags: ["echo"] }],
  };
}
