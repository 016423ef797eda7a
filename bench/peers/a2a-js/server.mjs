/**
 * The public JavaScript SDK's own server with its own stores, as its documentation puts them together: Express, grpc-js,
 * and tasks in memory or, with DB_FILE, in SQLite (WAL, synchronous=NORMAL). HTTP_PORT, GRPC_PORT, SEED: finished
 * tasks to put into the file.
 */
import { randomUUID } from "node:crypto";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import {
  UserBuilder,
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
} from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import express from "express";
import { openStore } from "./store.mjs";

const { HTTP_PORT, GRPC_PORT, DB_FILE, SEED = "0" } = process.env;

const echo = {
  async execute({ taskId, contextId, userMessage, task }, bus) {
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const update = (state) =>
      AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined });
    if (!task)
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: status(TaskState.TASK_STATE_SUBMITTED),
          artifacts: [],
          history: [{ ...userMessage, role: Role.ROLE_USER }],
          metadata: undefined,
        }),
      );
    bus.publish(update(TaskState.TASK_STATE_WORKING));
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: {
          artifactId: randomUUID(),
          name: "echo",
          description: "",
          parts: [userMessage.parts[0]],
          metadata: undefined,
          extensions: [],
        },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    );
    bus.publish(update(TaskState.TASK_STATE_COMPLETED));
    bus.finished();
  },
  async cancelTask() {},
};

const served = (protocolBinding, url) => ({
  url,
  protocolBinding,
  tenant: "",
  protocolVersion: "1.0",
});
const base = `http://127.0.0.1:${HTTP_PORT}/a2a`;
const card = {
  name: "Echo",
  description: "Answers with the text of the message",
  supportedInterfaces: [
    served("JSONRPC", `${base}/jsonrpc`),
    served("HTTP+JSON", `${base}/rest`),
    served("GRPC", `127.0.0.1:${GRPC_PORT}`),
  ],
  provider: undefined,
  version: "1.0.0",
  documentationUrl: "",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [],
    extendedAgentCard: false,
  },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  signatures: [],
};

const store = DB_FILE ? await openStore(DB_FILE, Number(SEED)) : new InMemoryTaskStore();
const requestHandler = new DefaultRequestHandler(card, store, echo);
const userBuilder = UserBuilder.noAuthentication;

const app = express();
app.disable("x-powered-by");
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/a2a/jsonrpc", jsonRpcHandler({ requestHandler, userBuilder }));
app.use("/a2a/rest", restHandler({ requestHandler, userBuilder }));
await new Promise((resolve) => app.listen(Number(HTTP_PORT), "127.0.0.1", resolve));

const grpc = new Server();
grpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
await new Promise((resolve, reject) => {
  const credentials = ServerCredentials.createInsecure();
  grpc.bindAsync(`127.0.0.1:${GRPC_PORT}`, credentials, (error) =>
    error ? reject(error) : resolve(),
  );
});
console.log("ready");
