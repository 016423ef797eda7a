/** Streams, on every door alike. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Task } from "../../src/protocol/model.ts";
import { allRefused, refused, type Door, type Event } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { openHttp } from "../support/http-client.ts";
import { isCall } from "../support/recorded-log.ts";
import {
  artifact,
  authRequired,
  chunk,
  completed,
  inputRequired,
  Puppet,
  says,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import { eachDoor } from "./each-door.ts";
import {
  artifactTexts,
  asTask,
  atOnce,
  drained,
  messageOf,
  nextOf,
  shortOf,
  taskIn,
} from "./requests.ts";

let gateway: RunningGateway;
const handler = new ScriptedHandler(says(completed));

before(async () => {
  gateway = await runGateway({
    agents: { agent: { handler } },
    settings: { sse: { heartbeat: "30ms" }, cors: { origins: ["https://app.example"] } },
  });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

function puppet(): Puppet {
  const made = new Puppet();
  handler.script = made.script;
  return made;
}

/** A task at work, whose agent the test plays. */
async function start(door: Door): Promise<{ readonly id: string; readonly agent: Puppet }> {
  const agent = puppet();
  agent.say(working);
  const { id } = taskIn(await door.call("sendMessage", atOnce("hi")));
  return { id, agent };
}

const artifacts = (texts: readonly string[]) => texts.map((text) => artifact(text, text));

eachDoor(
  () => gateway,
  (door, others) => {
    // A stream that fails before it begins.
    test("a stream that cannot begin is a plain error answer", async () => {
      handler.script = says(completed);
      const { id } = taskIn(await door().call("sendMessage", messageOf("hi")));
      const open = (...request: Parameters<Door["stream"]>) => drained(door().stream(...request));
      await refused(door(), open("subscribeToTask", { id: "unknown" }), "TASK_NOT_FOUND");
      await refused(door(), open("subscribeToTask", { id }), "UNSUPPORTED_OPERATION");
      const invalid = [{}, { message: {} }, { message: { parts: [] } }];
      const answers = invalid.map((request) => open("sendStreamingMessage", request));
      await allRefused(door(), answers, "INVALID_PARAMS");
    });

    test("a stream starts with the task and ends with its end", async () => {
      handler.script = says(working, chunk("a", "x"), chunk("b", "x", true), completed);
      const events = await drained(door().stream("sendStreamingMessage", messageOf("hi")));
      assert.deepEqual(events.map(shortOf), [
        "task SUBMITTED",
        "status WORKING",
        "artifact a",
        "artifact b",
        "status COMPLETED",
      ]);
      const { id } = taskIn(events[0]?.response ?? {});
      assert.deepEqual(artifactTexts(asTask(await door().call("getTask", { id }))), ["ab"]);
      // `final`, on the doors of 1.0.
      assert.doesNotMatch(JSON.stringify(events), /"final"/);
    });

    // A caller that leaves.
    test("a task goes on when its caller leaves, and whoever comes later misses nothing", async () => {
      const agent = puppet();
      agent.say(...artifacts(["1", "2"]));
      const stream = door().stream("sendStreamingMessage", messageOf("hi"));
      const { id } = taskIn((await nextOf(stream)).response);
      await nextOf(stream);
      const left = gateway.log.until(isCall("sendStreamingMessage"), calls() + 1);
      await stream.return(undefined);
      await left;

      agent.say(...artifacts(["3", "4", "5"]));
      for (const other of [door(), ...others()]) {
        const follower = other.stream("subscribeToTask", { id });
        const { artifacts: known = [] } = taskIn((await nextOf(follower)).response);
        const missing = 5 - known.length;
        const rest: Event[] = [];
        while (rest.length < missing) rest.push(await nextOf(follower));
        const texts = [
          ...known.map(({ artifactId }) => `artifact ${artifactId}`),
          ...rest.map(shortOf),
        ];
        assert.deepEqual(
          texts,
          ["1", "2", "3", "4", "5"].map((text) => `artifact ${text}`),
        );
        await follower.return(undefined);
      }
      agent.say(completed);
      await drained(
        door().stream("subscribeToTask", { id }, { headers: { "last-event-id": "1" } }),
      );
      const task = asTask(await door().call("getTask", { id }));
      assert.deepEqual(artifactTexts(task), ["1", "2", "3", "4", "5"]);
    });

    test("a send whose caller leaves before its answer is finished all the same", async () => {
      const agent = puppet();
      const leaving = new AbortController();
      const contextId = `leaving-${door().binding}`;
      const answer = door().call("sendMessage", messageOf("hi", { contextId }), {
        signal: leaving.signal,
      });
      agent.say(working, artifact("one"));
      const listed = async (): Promise<readonly Task[]> =>
        (await door().call("listTasks", { contextId }))["tasks"] as Task[];
      while ((await listed()).length === 0);
      leaving.abort();
      await assert.rejects(answer);
      const [{ id } = { id: "" }] = await listed();
      const follower = door().stream("subscribeToTask", { id });
      await nextOf(follower);
      agent.say(artifact("two"), completed);
      await drained(follower);
      const task = asTask(await door().call("getTask", { id }));
      assert.deepEqual(artifactTexts(task), ["one", "two"]);
    });

    // Subscribing without a producer.
    test("a subscriber to a task that waits sees what another caller's answer brings", async () => {
      handler.script = says(inputRequired);
      const { id } = taskIn(await door().call("sendMessage", messageOf("hi")));
      const follower = door().stream("subscribeToTask", { id });
      assert.equal(shortOf(await nextOf(follower)), "task INPUT_REQUIRED");
      handler.script = says(artifact("here"), completed);
      const [other] = others();
      await other?.call("sendMessage", messageOf("Rome", { taskId: id }));
      assert.deepEqual((await drained(follower)).map(shortOf), [
        "status WORKING",
        "artifact here",
        "status COMPLETED",
      ]);
    });

    // AUTH_REQUIRED and INPUT_REQUIRED.
    test("a send's stream ends at a question, and stays open at a demand for credentials", async () => {
      handler.script = says(working, inputRequired);
      const asked = await drained(door().stream("sendStreamingMessage", messageOf("hi")));
      assert.equal(asked.map(shortOf).at(-1), "status INPUT_REQUIRED");

      const agent = puppet();
      agent.say(working, authRequired);
      const stream = door().stream("sendStreamingMessage", messageOf("hi"));
      const before = [await nextOf(stream), await nextOf(stream), await nextOf(stream)];
      assert.equal(before.map(shortOf).at(-1), "status AUTH_REQUIRED");
      agent.say(working, completed);
      const rest = await drained(stream);
      assert.deepEqual(rest.map(shortOf), ["status WORKING", "status COMPLETED"]);
    });

    // Resuming.
    test("a reader that comes back after event n gets n+1 and on, running or ended, once each", async () => {
      const { id, agent } = await start(door());
      agent.say(...artifacts(["3", "4", "5", "6"]));
      while (artifactTexts(asTask(await door().call("getTask", { id }))).length < 4);
      const from = (cursor: number) =>
        door().stream("subscribeToTask", { id }, { headers: { "last-event-id": String(cursor) } });
      const running = from(4);
      assert.deepEqual([await nextOf(running), await nextOf(running)].map(shortOf), [
        "artifact 5",
        "artifact 6",
      ]);
      agent.say(artifact("7", "7"), completed);
      assert.deepEqual((await drained(running)).map(shortOf), ["artifact 7", "status COMPLETED"]);
      const all = ["task SUBMITTED", "status WORKING", "3", "4", "5", "6", "7", "status COMPLETED"];
      for (let cursor = 0; cursor <= 8; cursor++) {
        const events = await drained(from(cursor));
        const expected = all
          .slice(cursor)
          .map((text) => (text.length === 1 ? `artifact ${text}` : text));
        assert.deepEqual(events.map(shortOf), expected);
        if (door().binding !== "grpc")
          assert.deepEqual(
            events.map((event) => event.id),
            all.map((_, index) => index + 1).slice(cursor),
          );
      }
      const [ahead] = await drained(from(99));
      assert.equal(ahead && shortOf(ahead), "task COMPLETED");
    });

    // gRPC errors of the gateway itself.
    test("a stopping gateway ends streams with the door's own error, and waits for the task", async () => {
      const agent = puppet();
      const stopping = await runGateway({
        agents: { stopping: { handler } },
        settings: { stop: { grace: "10s" } },
      });
      const own = stopping.doors.find(({ name }) => name === door().name);
      assert(own);
      agent.say(working);
      const stream = own.stream("sendStreamingMessage", messageOf("hi"));
      await nextOf(stream);
      await nextOf(stream);
      const stopped = stopping.stop();
      const refusal = await refused(own, nextOf(stream), "UNAVAILABLE");
      assert.match(refusal.message, /resubscribe/);
      agent.say(completed);
      await stopped;
    });

    test("a send that a stop cuts short is answered with the failed task", async () => {
      const agent = puppet();
      agent.say(working);
      const stopping = await runGateway({ agents: { stopping: { handler } } });
      const own = stopping.doors.find(({ name }) => name === door().name);
      assert(own);
      const answer = own.call("sendMessage", messageOf("hi"));
      while ((await own.call("listTasks", {}))["totalSize"] === 0);
      await stopping.stop();
      const { status } = taskIn(await answer);
      assert.equal(status.state, "TASK_STATE_FAILED");
      assert.match(status.message?.parts[0]?.text ?? "", /stopped/);
    });
  },
);

function calls(): number {
  return gateway.log.lines.filter(isCall("sendStreamingMessage")).length;
}

describe("server-sent events", () => {
  const paths = [
    [
      "JSON-RPC",
      "/",
      (params: object) => ({ jsonrpc: "2.0", id: 7, method: "SendStreamingMessage", params }),
    ],
    ["HTTP+JSON", "/message:stream", (params: object) => params],
  ] as const;
  for (const [name, path, bodyOf] of paths) {
    const open = (headers: Record<string, string> = {}) =>
      openHttp(gateway.port, {
        method: "POST",
        path,
        headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
        body: JSON.stringify(bodyOf(messageOf("hi"))),
      });

    // Keep-alive comments.
    test(`${name}: a silent stream is kept alive by comments, which have no id`, async () => {
      const agent = puppet();
      agent.say(working);
      const incoming = await open();
      let text = "";
      for await (const piece of incoming.setEncoding("utf8")) {
        text += piece as string;
        if (text.endsWith(":\n:\n:\n")) agent.say(completed);
      }
      assert.match(text, /WORKING[^\n]*\n\n(:\n){3,}id: 3\ndata: [^\n]*COMPLETED[^\n]*\n\n$/);
      assert.equal(text.match(/^id: /gm)?.length, 3);
    });

    // Compression and buffering.
    test(`${name}: a stream is neither compressed nor held back`, async () => {
      const agent = puppet();
      agent.say(working);
      const incoming = await open({ "accept-encoding": "gzip, br" });
      const { headers } = incoming;
      assert.equal(headers["content-type"], "text/event-stream");
      assert.equal(headers["cache-control"], "no-cache, no-transform");
      assert.equal(headers["x-accel-buffering"], "no");
      assert.equal(headers["content-length"], undefined);
      assert.equal(headers["content-encoding"], undefined);
      // The events so far arrive although the agent is at work: nothing else would let it go on.
      for await (const piece of incoming.setEncoding("utf8"))
        if ((piece as string).includes("WORKING")) agent.say(completed);
    });

    // CORS.
    test(`${name}: a stream of an allowed origin says so`, async () => {
      handler.script = says(completed);
      const incoming = await open({ origin: "https://app.example" });
      assert.equal(incoming.headers["access-control-allow-origin"], "https://app.example");
      incoming.resume();
    });
  }
});
