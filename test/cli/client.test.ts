import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connect, type Client } from "../../src/cli/client/client.ts";
import type { StreamEvent } from "../../src/cli/client/operations.ts";
import { parseConfig } from "../../src/config/load.ts";
import { startGateway, type Gateway } from "../../src/gateway.ts";
import { createLog } from "../../src/log.ts";
import type { ProtocolBinding } from "../../src/protocol/agent-card.ts";

const CONFIG = `
listen: 127.0.0.1:0
ops: { listen: off }
database: ":memory:"
agents:
  first: { name: First, description: "", static: { otherwise: { message: "first" } } }
  second:
    name: Second
    description: ""
    extensions: [{ uri: "urn:needed", required: true }]
    static:
      rules:
        - { when: { text: ask }, script: [{ status: input-required, message: "what?" }] }
        - { when: { text: work }, script: [{ status: working }, { artifact: { name: out, data: { n: [1, null] } } }] }
      otherwise: { message: "{{text}}" }
`;

const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

for (const binding of BINDINGS)
  describe(`the client over ${binding}`, () => {
    let gateway: Gateway;
    let client: Client;

    before(async () => {
      const config = parseConfig(CONFIG, "config.yaml", {});
      gateway = await startGateway({ config, log: createLog("silent") });
      client = await connect({ url: urlOf(gateway, "/a2a/second"), binding, headers: HEADERS });
    });

    after(async () => {
      client.close();
      await gateway.stop();
    });

    test("gets a message from the agent whose card it read", async () => {
      const answer = await client.call("sendMessage", said("hello"));
      assert.deepEqual("message" in answer && answer.message.parts, [{ text: "hello" }]);
    });

    test("gets a task, and the same one again", async () => {
      const answer = await client.call("sendMessage", said("work"));
      const task = "task" in answer ? answer.task : assert.fail("no task");
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(task.artifacts?.[0]?.parts, [{ data: { n: [1, null] } }]);
      assert.deepEqual(await client.call("getTask", { id: task.id }), task);
    });

    test("gets a stream to its end", async () => {
      const events = await all(client.stream("sendStreamingMessage", said("work")));
      assert.deepEqual(events.map(kindOf), [
        "task",
        "statusUpdate",
        "artifactUpdate",
        "statusUpdate",
      ]);
    });

    test("lists, cancels and resumes", async () => {
      const contextId = `context-${binding}`;
      const answer = await client.call("sendMessage", said("ask", contextId));
      const id = "task" in answer ? answer.task.id : assert.fail("no task");
      const listed = await client.call("listTasks", { contextId, pageSize: 5 });
      assert.deepEqual([listed.totalSize, listed.tasks[0]?.id], [1, id]);

      assert.equal((await client.call("cancelTask", { id })).status.state, "TASK_STATE_CANCELED");
      const missed = await all(client.stream("subscribeToTask", { id }, { resumeAfter: "1" }));
      assert.deepEqual(missed.map(kindOf), ["statusUpdate", "statusUpdate"]);
    });

    test("tells an error by its reason, on calls and streams alike", async () => {
      const error = { name: "RemoteError", reason: "TASK_NOT_FOUND", message: /no-such/ };
      await assert.rejects(client.call("getTask", { id: "no-such" }), error);
      await assert.rejects(all(client.stream("subscribeToTask", { id: "no-such" })), error);
    });

    test("sends the headers that it was given", async () => {
      const url = urlOf(gateway, "/a2a/second");
      const bare = await connect({ url, binding, headers: {} });
      await assert.rejects(bare.call("sendMessage", said("hello")), {
        reason: "EXTENSION_SUPPORT_REQUIRED",
      });
      bare.close();
    });

    test("reaches the primary agent by the root", async () => {
      const primary = await connect({ url: urlOf(gateway, ""), binding, headers: {} });
      const answer = await primary.call("sendMessage", said("hello"));
      assert.deepEqual("message" in answer && answer.message.parts, [{ text: "first" }]);
      primary.close();
    });
  });

const HEADERS = { "a2a-extensions": "urn:needed" };

function urlOf({ address }: Gateway, path: string): string {
  return `http://${address.host}:${address.port}${path}`;
}

function said(text: string, contextId?: string) {
  const message = { messageId: `m-${text}`, role: "ROLE_USER", parts: [{ text }] } as const;
  return { message: contextId === undefined ? message : { ...message, contextId } };
}

function kindOf(event: StreamEvent): string {
  return Object.keys(event)[0] ?? "nothing";
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
