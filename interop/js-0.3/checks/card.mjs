import assert from "node:assert/strict";
import { A2AClient } from "@a2a-js/sdk/client";
import { send, textOf } from "../requests.mjs";

export async function cardChecks(client, check, binding) {
  await check("the card names a 0.3 address for every binding", async () => {
    const { protocolVersion, url, preferredTransport, additionalInterfaces, skills } =
      client.agentCard;
    assert.match(protocolVersion, /^0\.3/);
    const transports = additionalInterfaces.map(({ transport }) => transport);
    assert.ok(transports.includes(binding) || preferredTransport === binding);
    const preferred = additionalInterfaces.filter(
      (other) => other.transport === preferredTransport,
    );
    assert.ok(preferred.some((other) => other.url === url));
    assert.equal(skills[0].id, "answers");
  });

  // The SDK's first client, which knows JSON-RPC alone.
  if (binding === "JSONRPC")
    await check("the card is at its old address too", async () => {
      const { href } = new URL("/.well-known/agent.json", client.agentCard.url);
      const older = await A2AClient.fromCardUrl(href);
      const { result } = await older.sendMessage(send("hello"));
      assert.equal(textOf(result.parts), "hello back");
      const { error } = await older.getTask({ id: "no-such-task" });
      assert.equal(error.code, -32001);
    });

  await check("GetExtendedAgentCard answers the extended card", async () => {
    const card = await client.getAgentCard();
    assert.equal(card.name, "Interop");
    assert.equal(card.description, "Seen by those who ask for more");
    assert.equal(card.capabilities.streaming, true);
  });
}
