/** Webhooks of tasks at remote agents that have none of their own: told by the gateway, in its names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rpcEvents } from "../support/fake-agent/answers.ts";
import { rpcAgent } from "../support/fake-agent/rpc-agent.ts";
import { chunk, snapshot, there, update, whole } from "../support/fake-agent/told.ts";
import { runGateway } from "../support/gateway.ts";
import { startReceiver } from "../support/receiver.ts";
import { endsIn, LOCAL } from "./webhook-stage.ts";
import { hookDoors } from "./webhook-doors.ts";

for (const version of ["1.0", "0.3"] as const)
  test(`tasks of a remote agent of ${version} that has no webhooks have them here`, async (t) => {
    const receiver = await startReceiver();
    const agent = await rpcAgent(
      t,
      version === "1.0"
        ? {
            SendStreamingMessage: rpcEvents([
              snapshot("WORKING"),
              whole("one "),
              chunk("two"),
              update("COMPLETED"),
            ]),
          }
        : {
            "message/stream": rpcEvents(
              ["working", "completed"].map((state, index) => ({
                kind: "status-update",
                ...there,
                status: { state },
                final: index === 1,
              })),
            ),
          },
      { version },
    );
    const gateway = await runGateway({
      agents: { remote: { settings: { upstream: agent.url } } },
      settings: { push: LOCAL },
    });
    t.after(() => gateway.stop());
    t.after(() => receiver.stop());
    for (const [index, door] of hookDoors(gateway.port, "remote").entries()) {
      const path = `/${index}`;
      const taskId = await door.send({ text: "hi", hook: { id: "h", url: receiver.url(path) } });
      const told = await receiver.until(path, endsIn("COMPLETED"));
      for (const { body } of told) {
        assert.ok(!JSON.stringify(body).includes(there.taskId));
        assert.ok(JSON.stringify(body).includes(taskId ?? "?"));
      }
      door.close();
    }
    // The agent was asked for none.
    for (const method of ["SendStreamingMessage", "message/stream"])
      for (const params of agent.calls(method))
        assert.ok(!JSON.stringify(params).toLowerCase().includes("pushnotification"));
  });
