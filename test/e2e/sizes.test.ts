/** One limit on every door, and a cost that does not grow. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, credentials } from "@grpc/grpc-js";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { Task } from "../../src/protocol/model.ts";
import { refused, rpcOf } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { chunk, completed, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { eachDoor } from "./each-door.ts";
import { rawGrpc } from "./raw-grpc.ts";
import { asTask, drained, messageOf, taskIn } from "./requests.ts";

const LIMIT = 4 * 1024 * 1024;

let gateway: RunningGateway;
const handler = new ScriptedHandler(receiving);

/** Keeps what it gets in the history and says how much it was. */
async function* receiving({ message }: Turn): AsyncGenerator<HandlerEvent> {
  const size = JSON.stringify(message.parts).length;
  yield { kind: "artifact", artifact: { parts: [{ text: String(size) }] } };
  yield completed;
}

before(async () => {
  gateway = await runGateway({
    agents: { agent: { handler } },
    // The agent writes as fast as it can, in the process of its reader.
    settings: { limits: { streamBuffer: 30_000 } },
  });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

eachDoor(
  () => gateway,
  (door, others) => {
    test("a message just under the limit is taken, and read on every door", async () => {
      const text = "x".repeat(LIMIT - 1024);
      const task = taskIn(await door().call("sendMessage", messageOf(text)));
      for (const other of [door(), ...others()]) {
        const read = asTask(await other.call("getTask", { id: task.id }));
        assert.equal(read.history?.[0]?.parts[0]?.text?.length, text.length, other.name);
      }
    });

    test("a message over the limit is refused as too large, and the door goes on", async () => {
      const contextId = `large-${door().binding}`;
      for (const size of [LIMIT + 1, 3 * LIMIT]) {
        const request = messageOf("x".repeat(size), { contextId });
        if (door().binding === "grpc") {
          // Refused by the gRPC library, which knows no details.
          const answer = door().call("sendMessage", request);
          await assert.rejects(answer, { code: 8 });
        } else {
          // Too large to be read, it does not show its version.
          const named = { headers: { "a2a-version": "1.0" } };
          await refused(door(), door().call("sendMessage", request, named), "TOO_LARGE");
        }
      }
      assert.equal((await door().call("listTasks", { contextId }))["totalSize"], 0);
    });

    test("a page of large tasks fits into a gRPC client's usual limit, and paging reaches all", async () => {
      const contextId = `pages-${door().binding}`;
      for (let n = 0; n < 6; n++)
        await door().call("sendMessage", messageOf("ä".repeat(500_000), { contextId }));
      for (const other of [door(), ...others()]) {
        const seen: Task[] = [];
        for (let pageToken: unknown = undefined; pageToken !== "";) {
          const request = { contextId, ...(pageToken !== undefined && { pageToken }) };
          const page = await other.call("listTasks", request);
          assert.equal(page["totalSize"], 6);
          seen.push(...(page["tasks"] as Task[]));
          pageToken = page["nextPageToken"];
        }
        assert.equal(new Set(seen.map(({ id }) => id)).size, 6);
        assert.equal(seen.length, 6);
      }
    });

    // Cost that grows.
    test("the 20,000th chunk of an artifact costs what the first did", async () => {
      const chunks = 20_000;
      handler.script = async function* () {
        yield working;
        for (let n = 0; n < chunks; n++) yield chunk(`${n % 10}`, "long", n === chunks - 1);
        yield completed;
      };
      const times: number[] = [];
      let largest = 0;
      let id = "";
      for await (const { response } of door().stream("sendStreamingMessage", messageOf("go"))) {
        if ("task" in response) ({ id } = taskIn(response));
        if (!("artifactUpdate" in response)) continue;
        times.push(performance.now());
        largest = Math.max(largest, JSON.stringify(response).length);
      }
      handler.script = receiving;
      assert.equal(times.length, chunks);
      // What goes over the wire per chunk is the chunk.
      assert(largest < 300, `${largest} characters for one chunk`);
      const took = (from: number): number => (times[from + 1999] ?? NaN) - (times[from] ?? NaN);
      // The first windows warm up: the second is the measure.
      const [first, last] = [took(2000), took(chunks - 2000)];
      assert(last < 3 * Math.max(first, 20), `first ${first} ms, last ${last} ms`);
      const { artifacts = [] } = asTask(await door().call("getTask", { id }));
      assert.equal(artifacts.length, 1);
      assert.equal(artifacts[0]?.parts.map(({ text }) => text).join("").length, chunks);
    });
  },
);

test("a body whose length is announced over the limit is refused before it is read", async () => {
  const answer = await sendHttp(gateway.port, {
    method: "POST",
    path: "/message:send",
    headers: { "content-type": "application/json", "content-length": String(LIMIT * 1000) },
    body: "{",
  });
  assert.equal(answer.status, 413);
  assert.equal(answer.headers["content-type"], "application/json");
});

// gRPC errors of the gateway itself.
test("a gRPC message over the limit is answered by a gRPC status, not by HTTP", async () => {
  const { http, status } = await rawGrpc(gateway.port, "SendMessage", Buffer.alloc(LIMIT + 1));
  assert.deepEqual([http, status], [200, 8]);
});

test("a larger task than a gRPC client's usual limit is read by a client that allows it", async () => {
  const text = "x".repeat(LIMIT - 1024);
  handler.script = async function* ({ message }) {
    yield { kind: "artifact", artifact: { parts: message.parts } };
    yield completed;
  };
  const { id } = taskIn(await gateway.doors[0].call("sendMessage", messageOf(text)));
  handler.script = receiving;
  const client = new Client(`127.0.0.1:${gateway.port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
  const { path, encode, decode } = rpcOf("getTask", undefined);
  const task = await new Promise<Task>((resolve, reject) => {
    client.makeUnaryRequest(path, encode, decode, { id }, (error, value) =>
      error ? reject(error) : resolve(asTask(value ?? {})),
    );
  });
  client.close();
  assert.equal(task.artifacts?.[0]?.parts[0]?.text?.length, text.length);
  assert.deepEqual(
    (
      await drained(
        gateway.doors[2].stream("subscribeToTask", { id }, { headers: { "last-event-id": "2" } }),
      )
    ).length,
    1,
  );
});
