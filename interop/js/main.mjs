/** Runs every check on every binding of the agent whose base URL is the argument, in the version named behind it. */
import assert from "node:assert/strict";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { cardChecks } from "./checks/card.mjs";
import { errorChecks } from "./checks/errors.mjs";
import { listChecks } from "./checks/lists.mjs";
import { messageChecks } from "./checks/messages.mjs";
import { partChecks } from "./checks/parts.mjs";
import { pushChecks } from "./checks/push.mjs";
import { signatureChecks } from "./checks/signatures.mjs";
import { streamChecks } from "./checks/streams.mjs";
import { taskChecks } from "./checks/tasks.mjs";
import { webhookChecks } from "./checks/webhooks.mjs";
import { Report } from "./report.mjs";

const [baseUrl, version = "1.0"] = process.argv.slice(2);
if (baseUrl === undefined) throw new Error("usage: node main.mjs BASE_URL [VERSION]");

const groups = [
  messageChecks,
  partChecks,
  streamChecks,
  taskChecks,
  listChecks,
  pushChecks,
  errorChecks,
  cardChecks,
];
const report = new Report();
const legacyCompat = { enabled: version === "0.3" };
/** The SDK names 1.0 with either version; a caller of 0.3 would name none. */
const fetchImpl = legacyCompat.enabled ? (url) => fetch(url) : fetch;
const resolver = new DefaultAgentCardResolver({ legacyCompat, fetchImpl });
const served = await resolver.resolve(baseUrl);
/** With push declared, so that the client leaves it to the gateway to refuse it. */
const card = ofVersion({
  ...served,
  capabilities: { ...served.capabilities, pushNotifications: true },
});
/** Of the agent that has webhooks. */
const webhooksCard = ofVersion(await resolver.resolve(`${baseUrl}/a2a/webhooks/`));

for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"]) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [
        new JsonRpcTransportFactory({ legacyCompat }),
        new RestTransportFactory({ legacyCompat }),
        new GrpcTransportFactory({ legacyCompat }),
      ],
      preferredTransports: [binding],
    }),
  );
  const client = await factory.createFromAgentCard(card);
  const name = version === "0.3" ? "js-compat" : "js";
  const check = (title, run) => report.check(`${name} ${binding} ${title}`, run);
  await check("speaks the binding and the version that were asked for", async () => {
    const { protocolName, protocolVersion } = client.transport;
    assert.deepEqual([protocolName, protocolVersion], [binding, version]);
  });
  for (const group of groups) await group(client, check, { binding, version });
  const hooked = await factory.createFromAgentCard(webhooksCard);
  await webhookChecks(hooked, check, { binding, version });
  // Last, since the client goes by the extended card once it has read it; the SDK checks cards of 1.0 alone.
  if (version === "1.0") await signatureChecks(baseUrl, served)(client, check);
}
report.close();

function ofVersion(card) {
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ protocolVersion }) => protocolVersion === version,
  );
  return { ...card, supportedInterfaces };
}
