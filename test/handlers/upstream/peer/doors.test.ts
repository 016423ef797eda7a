/** Peers of every version and binding, with agents that are served by a gateway. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPeer } from "../../../../src/handlers/upstream/peer/open-peer.ts";
import type { ProtocolBinding } from "../../../../src/protocol/agent-card.ts";
import type { StreamResponse } from "../../../../src/protocol/model.ts";
import { clientDialects } from "../../../../src/wire/client-dialects.ts";
import { runGateway, type RunningGateway } from "../../../support/gateway.ts";
import { ScriptedHandler, says } from "../../../support/scripted-handler.ts";
import { callOf, errorIn, LIMITS, SEND, streamOf } from "./peers.ts";

const handler = new ScriptedHandler(
  says(
    { kind: "artifact", artifact: { artifactId: "a", parts: [{ text: "done" }] } },
    { kind: "status", state: "TASK_STATE_COMPLETED" },
  ),
);

let gateway: RunningGateway;
before(async () => {
  gateway = await runGateway({ agents: { echo: { handler } } });
});
after(() => gateway.stop());

for (const dialect of clientDialects)
  for (const [binding, path] of [
    ["JSONRPC", "/a2a/echo"],
    ["HTTP+JSON", "/a2a/echo"],
    ["GRPC", ""],
  ] as const satisfies readonly (readonly [ProtocolBinding, string])[])
    test(`sends, streams, gets and cancels over ${binding} ${dialect.version}`, async (context) => {
      const url = `http://127.0.0.1:${gateway.port}${path}`;
      const peer = openPeer({ url, binding, dialect, limits: LIMITS });
      context.after(() => peer.close());
      const sent = await peer.call("sendMessage", SEND, callOf());
      assert.ok("task" in sent && "status" in sent.task);
      assert.equal(sent.task.status.state, "TASK_STATE_COMPLETED");
      const { id } = sent.task;
      const got = await peer.call("getTask", { id }, callOf());
      assert.deepEqual(got.artifacts?.[0]?.parts, [{ text: "done" }]);
      assert.match(
        await errorIn(peer.call("cancelTask", { id }, callOf())),
        /^TASK_NOT_CANCELABLE: /,
      );
      assert.match(
        await errorIn(peer.call("getTask", { id: "none" }, callOf())),
        /^TASK_NOT_FOUND: /,
      );
      const kinds: (keyof StreamResponse)[] = [];
      for await (const { response } of streamOf(peer))
        kinds.push(...(Object.keys(response) as (keyof StreamResponse)[]));
      assert.deepEqual(kinds, ["task", "artifactUpdate", "statusUpdate"]);
      await assert.rejects(async () => {
        for await (const _ of peer.stream("subscribeToTask", { id }, callOf())) assert.fail();
      }, /subscri|terminal|COMPLETED|final/i);
    });
