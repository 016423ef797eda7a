/** An agent on the server of @a2a-js/sdk 0.3: 0.3 on all three bindings. Prints its address once it serves. */
import { once } from "node:events";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  UserBuilder,
} from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import express from "express";
import { Executor } from "./executor.mjs";

const app = express();
const http = app.listen(0, "127.0.0.1");
await once(http, "listening");
const address = `http://127.0.0.1:${http.address().port}`;

const grpc = new Server();
const grpcPort = await new Promise((resolve, reject) => {
  grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
});

const card = {
  name: "Remote",
  description: "Answers each text in its own way",
  version: "1.0.0",
  protocolVersion: "0.3.0",
  url: `${address}/rpc`,
  preferredTransport: "JSONRPC",
  additionalInterfaces: [
    { url: `${address}/rpc`, transport: "JSONRPC" },
    { url: `${address}/rest`, transport: "HTTP+JSON" },
    { url: `127.0.0.1:${grpcPort}`, transport: "GRPC" },
  ],
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    { id: "answers", name: "Answers", description: "One answer for each text", tags: ["test"] },
  ],
};

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Executor());
const served = { requestHandler, userBuilder: UserBuilder.noAuthentication };
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/rpc", jsonRpcHandler(served));
app.use("/rest", restHandler(served));
grpc.addService(A2AService, grpcService(served));
console.log(`ready ${address}`);
