import assert from "node:assert/strict";

export async function cardChecks(client, check) {
  await check("GetExtendedAgentCard answers the extended card", async () => {
    const card = await client.getAgentCard();
    assert.equal(card.name, "Interop");
    assert.equal(card.description, "Seen by those who ask for more");
    assert.ok(card.supportedInterfaces.length >= 3);
  });
}
