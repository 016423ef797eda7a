/** A token that is no longer good is replaced when the gateway says so, with the SDK's own means for HTTP. */
import assert from "node:assert/strict";
import { createAuthenticatingFetchWithRetry } from "@a2a-js/sdk/client";
import { send, stateOf } from "../requests.mjs";

export async function renewalChecks({ clients, card, binding, callers }, check) {
  await check("a token that has expired is renewed on the way", async () => {
    let token = callers.expired.jwt;
    const asked = [];
    const fetchImpl = createAuthenticatingFetchWithRetry(clients.fetchWith(), {
      headers: async () => ({ Authorization: `Bearer ${token}` }),
      async shouldRetryWithHeaders(_request, { status, headers }) {
        if (status !== 401) return undefined;
        asked.push(headers.get("WWW-Authenticate"));
        return { Authorization: `Bearer ${callers.alice.jwt}` };
      },
      async onSuccessfulRetry() {
        token = callers.alice.jwt;
      },
    });
    const client = await clients.open(card, binding, {}, fetchImpl);
    for (let times = 0; times < 2; times++)
      assert.equal(stateOf(await client.sendMessage(send("hello"))), "TASK_STATE_COMPLETED");
    assert.equal(asked.length, 1);
    assert.match(asked[0], /Bearer realm="a2a-gateway", error="invalid_token", error_description=/);
  });
}
