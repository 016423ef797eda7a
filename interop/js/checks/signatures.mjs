import { createPublicKey } from "node:crypto";
import { verifyAgentCardSignature } from "@a2a-js/sdk";

/** The public card as it was served, and the extended one, against the keys that the gateway shows. */
export function signatureChecks(baseUrl, served) {
  return async (client, check) => {
    const verify = verifyAgentCardSignature(async (kid) => {
      const answer = await fetch(`${baseUrl}/.well-known/jwks.json`);
      const { keys } = await answer.json();
      return createPublicKey({ key: keys.find((key) => key.kid === kid), format: "jwk" });
    });
    await check("the served card's signature is verified", () => verify(served));
    await check("the extended card's signature is verified", async () =>
      verify(await client.getAgentCard()),
    );
  };
}
