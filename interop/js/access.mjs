/**
 * Lets the SDK's clients in, in every way that the card names, on every binding. Arguments: the gateway's base URL, the
 * folder with what callers hold, the version to speak.
 */
import assert from "node:assert/strict";
import { DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import { WAYS, callersIn } from "./access/callers.mjs";
import { connecting } from "./access/connecting.mjs";
import { renewalChecks } from "./access/renewal.mjs";
import { refusal } from "./access/refusals.mjs";
import { tour } from "./access/tour.mjs";
import { errorOf } from "./refusals.mjs";
import { Report } from "./report.mjs";
import { collect, get, send } from "./requests.mjs";

const [baseUrl, folder, version = "1.0"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node access.mjs BASE_URL FOLDER [VERSION]");

const WRONG = /is not valid|is wrong|nobody's that is known/;

const report = new Report();
const callers = callersIn(folder);
const { alice, bob, wrong, expired } = callers;
const clients = connecting(callers.ca, version);
const cardAt = async (url) => {
  const options = { legacyCompat: { enabled: version === "0.3" }, fetchImpl: clients.fetchWith() };
  const card = await new DefaultAgentCardResolver(options).resolve(url);
  const ofVersion = ({ protocolVersion }) => protocolVersion === version;
  return { ...card, supportedInterfaces: card.supportedInterfaces.filter(ofVersion) };
};
const card = await cardAt(baseUrl);
const closedCard = await cardAt(`${baseUrl}/a2a/closed/`);

for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"]) {
  const door = { binding, version };
  const name = version === "0.3" ? "access-js-compat" : "access-js";
  const check = (title, run) => report.check(`${name} ${binding} ${title}`, run);
  const clientOf = (held, of = card) => clients.open(of, binding, held);
  const refuses = (title, clientFor, kind, words) =>
    check(title, async () => {
      const client = await clientFor();
      const expected = refusal(kind, words, door);
      await assert.rejects(client.getTask(get("any")), expected);
      await assert.rejects(client.sendMessage(send("hello")), expected);
      await assert.rejects(collect(client.sendMessageStream(send("hello"))), expected);
    });
  const isNotLetIn = (title, held, words) =>
    refuses(title, () => clientOf(held), "unauthenticated", words);

  await isNotLetIn("a caller without credentials is told so", {}, /credentials are needed/);
  for (const way of WAYS) {
    const held = { [way]: alice[way] };
    await check(`${way} opens every operation`, async () => tour(await clientOf(held), version));
    await check(`${way} of somebody else finds no task of mine`, async () => {
      const { id } = await (await clientOf(held)).sendMessage(send("mine"));
      const other = await clientOf({ [way]: bob[way] });
      await assert.rejects(other.getTask(get(id)), errorOf(door)(TaskNotFoundError));
    });
    await isNotLetIn(`${way} that is wrong is refused`, { [way]: wrong[way] }, WRONG);
    await refuses(
      `${way} does not open an agent of no policy`,
      () => clientOf(held, closedCard),
      "forbidden",
      /is not allowed on agent closed/,
    );
  }
  for (const way of ["jwt", "oidc"])
    await isNotLetIn(`${way} that has expired is refused`, { [way]: expired[way] }, /has expired/);
  if (binding !== "GRPC") await renewalChecks({ clients, card, binding, callers }, check);
}
clients.close();
report.close();
