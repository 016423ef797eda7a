/** Runs every check on every binding of the agent whose base URL is the argument. */
import { AgentCardResolver, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { cardChecks } from "./checks/card.mjs";
import { errorChecks } from "./checks/errors.mjs";
import { messageChecks } from "./checks/messages.mjs";
import { partChecks } from "./checks/parts.mjs";
import { pushChecks } from "./checks/push.mjs";
import { streamChecks } from "./checks/streams.mjs";
import { taskChecks } from "./checks/tasks.mjs";
import { webhookChecks } from "./checks/webhooks.mjs";
import { Report } from "./report.mjs";

const baseUrl = process.argv[2];
if (baseUrl === undefined) throw new Error("usage: node main.mjs BASE_URL");

const groups = [
  messageChecks,
  partChecks,
  streamChecks,
  taskChecks,
  pushChecks,
  errorChecks,
  cardChecks,
];
const report = new Report();
const served = await AgentCardResolver.default.resolve(baseUrl);
/** With push declared, so that the client leaves it to the gateway to refuse it. */
const card = { ...served, capabilities: { ...served.capabilities, pushNotifications: true } };
/** Of the agent that has webhooks. */
const webhooksCard = await AgentCardResolver.default.resolve(`${baseUrl}/a2a/webhooks/`);

for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"]) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
      preferredTransports: [binding],
    }),
  );
  const client = await factory.createFromAgentCard(card);
  const check = (title, run) => report.check(`js-0.3 ${binding} ${title}`, run);
  for (const group of groups) await group(client, check, binding);
  await webhookChecks(await factory.createFromAgentCard(webhooksCard), check);
}
report.close();
