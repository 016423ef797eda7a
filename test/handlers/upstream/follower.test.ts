/** Tasks at an agent that answers wrongly, late, in pieces, or not at all: each turn comes to its true end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { events, json, reset, rpc, rpcEvents } from "../../support/fake-agent/answers.ts";
import { rpcAgent } from "../../support/fake-agent/rpc-agent.ts";
import {
  artifactOf,
  chunk,
  saying,
  snapshot,
  taskIn,
  there,
  update,
  whole,
} from "../../support/fake-agent/told.ts";
import { turnOf } from "../turns.ts";
import { handlerOf, HastyTimers, openHandler, resumed, runningTurn, told } from "./following.ts";

const notFound = (id: string) => rpc({ error: { code: -32001, message: `Task not found: ${id}` } });
const failing = (code: number, message: string) => rpc({ error: { code, message } });
const begun = [snapshot("WORKING"), whole("one ")];
const ended = rpc({ result: taskIn("COMPLETED", { artifacts: [artifactOf("a", "one two")] }) });

describe("a stream that is cut", () => {
  for (const how of ["end", "reset"] as const)
    it(`is taken up again after its ${how}`, async (context) => {
      const agent = await rpcAgent(context, {
        SendStreamingMessage: rpcEvents(begun, how),
        SubscribeToTask: rpcEvents([
          snapshot("WORKING", { artifacts: [artifactOf("a", "one ")] }),
          chunk("two"),
          update("COMPLETED"),
        ]),
      });
      const handler = await handlerOf(context, { url: agent.url });
      const all = await told(handler.handle(turnOf("hi")));
      assert.deepEqual(all, ["WORKING", "a=one ", "a+two", "COMPLETED"]);
      assert.deepEqual(agent.calls("SubscribeToTask"), [{ id: there.taskId }]);
    });

  it("is asked for where the agent lets nobody subscribe", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: failing(-32004, "no"),
      GetTask: [rpc({ result: taskIn("WORKING") }), ended],
    });
    const timers = new HastyTimers();
    const handler = await handlerOf(context, { url: agent.url }, timers);
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "a+two", "COMPLETED"]);
    assert.equal(agent.calls("SubscribeToTask").length, 1);
    assert.deepEqual(timers.waits, [250]);
  });

  it("is asked for where the agent knows running tasks only there", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: notFound(there.taskId),
      GetTask: ended,
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "a+two", "COMPLETED"]);
  });

  it("is the end of a task that the agent has forgotten", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: notFound(there.taskId),
      GetTask: notFound(there.taskId),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all.slice(2), ["!TASK_NOT_FOUND: the agent no longer knows the task"]);
  });

  it("is completed by a snapshot where the agent just goes on", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([chunk("three"), update("COMPLETED")]),
      GetTask: [
        rpc({ result: taskIn("WORKING", { artifacts: [artifactOf("a", "one two three")] }) }),
        rpc({ result: taskIn("COMPLETED", { artifacts: [artifactOf("a", "one two three")] }) }),
      ],
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "a+two three", "COMPLETED"]);
  });

  it("keeps the end that it told when the agent forgets ended tasks at once", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([update("COMPLETED", "done")]),
      GetTask: notFound(there.taskId),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "COMPLETED: done"]);
  });

  it("waits at its end for an agent that writes down later than it tells", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([snapshot("WORKING"), update("COMPLETED")]),
      GetTask: [rpc({ result: taskIn("WORKING") }), ended],
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "a+two", "COMPLETED"]);
  });

  it("keeps what is here where the agent never writes down what it tells", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([snapshot("WORKING"), update("COMPLETED")]),
      GetTask: rpc({ result: taskIn("WORKING") }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "COMPLETED"]);
    assert.equal(agent.calls("GetTask").length, 3);
  });

  it("is taken up in the middle by a message that takes over", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([chunk("three"), update("COMPLETED")]),
      GetTask: rpc({
        result: taskIn("COMPLETED", { artifacts: [artifactOf("a", "one two three")] }),
      }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const task = {
      ...taskIn("WORKING", { artifacts: [artifactOf("a", "one ")] }),
      id: "task-1",
    };
    const all = await told(handler.handle(turnOf("more", { task, upstream: there })));
    assert.deepEqual(all, ["a+two three", "COMPLETED"]);
  });

  it("is taken up more slowly from time to time while nothing new comes", async (context) => {
    const again = rpcEvents([snapshot("WORKING")], "reset");
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([snapshot("WORKING")], "reset"),
      SubscribeToTask: [again, again, again, again, rpcEvents([snapshot("COMPLETED")])],
    });
    const timers = new HastyTimers();
    const handler = await handlerOf(context, { url: agent.url }, timers);
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
    assert.deepEqual(timers.waits, [1000, 2000, 4000, 8000]);
  });

  it("is asked for where subscribers are told nothing, before they try again", async (context) => {
    const working = rpc({ result: taskIn("WORKING") });
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: rpcEvents([]),
      GetTask: [working, working, working, ended],
    });
    const timers = new HastyTimers();
    const handler = await handlerOf(context, { url: agent.url }, timers);
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "a+two", "COMPLETED"]);
    assert.equal(agent.calls("SubscribeToTask").length, 4);
    assert.equal(agent.calls("GetTask").length, 4);
    const [first = 0, second = 0, third = 0, ...others] = timers.waits;
    assert.deepEqual(others, []);
    assert.ok(first < second && second < third, String(timers.waits));
  });

  it("is asked for where no connection is free to subscribe", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: [rpcEvents(begun), rpcEvents([snapshot("WORKING")], "silence")],
      SubscribeToTask: () => assert.fail("there is no connection for it"),
      GetTask: ended,
    });
    const handler = await handlerOf(context, { url: agent.url, connections: 8 });
    const events = handler.handle(turnOf("hi"))[Symbol.asyncIterator]();
    await events.next();
    // Seven streams leave room for one other call: the last of them waits for the first one's end.
    const others = Array.from({ length: 7 }, (_, index) => {
      const running = runningTurn(handler, { taskId: `other-${index}` });
      return { abort: running.abort, ended: told(handler.handle(running.turn)) };
    });
    await agent.called("SendStreamingMessage", 7);
    const all = await told({ [Symbol.asyncIterator]: () => events });
    assert.deepEqual(all.slice(-2), ["a+two", "COMPLETED"]);
    for (const { abort } of others) abort();
    await Promise.all(others.map((each) => each.ended));
  });

  it("is waited out while the agent is away", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: [reset, json({}, 503), reset, rpcEvents([snapshot("COMPLETED")])],
    });
    const handler = await handlerOf(context, { url: agent.url, retries: { attempts: 1 } });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one ", "COMPLETED"]);
  });

  it("with an error that passes is taken up again", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: (response, received) => {
        const { id } = JSON.parse(received.body) as { id: string };
        const first = JSON.stringify({ jsonrpc: "2.0", id, result: snapshot("WORKING") });
        const error = { code: -32013, message: "subscribe again", data: [UNAVAILABLE] };
        const last = JSON.stringify({ jsonrpc: "2.0", id, error });
        events(`data: ${first}\n\ndata: ${last}\n\n`)(response, received);
      },
      SubscribeToTask: rpcEvents([snapshot("COMPLETED")]),
    });
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
  });
});

const UNAVAILABLE = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "UNAVAILABLE",
  domain: "a2a-protocol.org",
};

describe("a stream that goes wrong", () => {
  const broken = (text: string) =>
    ({
      SendStreamingMessage: ((response, received) => {
        const { id } = JSON.parse(received.body) as { id: string };
        const first = JSON.stringify({ jsonrpc: "2.0", id, result: snapshot("WORKING") });
        events(`data: ${first}\n\ndata: ${text}\n\n`)(response, received);
      }) satisfies ReturnType<typeof events>,
    }) as const;

  it("fails with what went wrong where the agent's task does not end", async (context) => {
    const agent = await rpcAgent(context, {
      ...broken('{"half":'),
      GetTask: rpc({ result: taskIn("WORKING") }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const [first, last = ""] = await told(handler.handle(turnOf("hi")));
    assert.equal(first, "WORKING");
    assert.match(last, /^!INVALID_AGENT_RESPONSE: .*event 2/);
    assert.equal(agent.calls("GetTask").length, 1);
  });

  it("ends as the agent's task did", async (context) => {
    const agent = await rpcAgent(context, { ...broken('{"half":'), GetTask: ended });
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one two", "COMPLETED"]);
  });

  it("with an event of another task fails", async (context) => {
    const strange = { statusUpdate: { ...update("COMPLETED").statusUpdate, taskId: "u-other" } };
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([snapshot("WORKING"), strange]),
      GetTask: rpc({ result: taskIn("WORKING") }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const [, last] = await told(handler.handle(turnOf("hi")));
    const text = "the agent answered with an event of another task";
    assert.equal(last, `!INVALID_AGENT_RESPONSE: ${text}`);
  });

  it("has a limit of events", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([whole("a"), chunk("b"), chunk("c")], "silence"),
      GetTask: rpc({ result: taskIn("WORKING", { artifacts: [artifactOf("a", "abc")] }) }),
    });
    const handler = await handlerOf(context, { url: agent.url, maxEvents: 2 });
    const all = await told(handler.handle(turnOf("hi")));
    assert.match(all.at(-1) ?? "", /^!INVALID_AGENT_RESPONSE: the agent sent more than 2 events/);
  });

  it("that ended before it began is no answer", async (context) => {
    const agent = await rpcAgent(context, { SendStreamingMessage: rpcEvents([]) });
    const handler = await handlerOf(context, { url: agent.url });
    const text = "the agent's answer ended before it began";
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), [
      `!INVALID_AGENT_RESPONSE: ${text}`,
    ]);
  });
});

describe("an end", () => {
  it("is taken where the agent leaves its stream open", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([snapshot("WORKING"), update("COMPLETED")], "silence"),
    });
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
    await agent.quiet();
  });

  it("is not what an agent of 0.3 calls final while it works", async (context) => {
    const { taskId, contextId } = there;
    const status = (state: string, final: boolean) => ({
      kind: "status-update",
      taskId,
      contextId,
      status: { state },
      final,
    });
    const agent = await rpcAgent(
      context,
      {
        "message/stream": rpcEvents([status("working", true)], "silence"),
        "tasks/get": rpc({
          result: { kind: "task", id: taskId, contextId, status: { state: "completed" } },
        }),
      },
      { version: "0.3" },
    );
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
    assert.equal(agent.calls("tasks/resubscribe").length, 0);
  });

  it("is waited for where a blocking call is answered early", async (context) => {
    const agent = await rpcAgent(
      context,
      {
        SendMessage: rpc({ result: { task: taskIn("SUBMITTED") } }),
        GetTask: [rpc({ result: taskIn("SUBMITTED") }), rpc({ result: taskIn("WORKING") }), ended],
      },
      { streaming: false },
    );
    const timers = new HastyTimers();
    const handler = await handlerOf(context, { url: agent.url }, timers);
    const all = await told(handler.handle(turnOf("hi")));
    assert.deepEqual(all, ["WORKING", "a=one two", "COMPLETED"]);
    assert.deepEqual(timers.waits, [250, 500]);
  });

  it("is not what an agent is asked to wait for: the task's id comes first", async (context) => {
    const agent = await rpcAgent(
      context,
      { SendMessage: rpc({ result: { task: taskIn("WORKING") } }), GetTask: ended },
      { streaming: false },
    );
    const handler = await handlerOf(context, { url: agent.url });
    const all = await told(handler.handle(turnOf("hi", { blocking: true })));
    assert.equal(all.at(-1), "COMPLETED");
    const [sent] = agent.calls("SendMessage");
    assert.deepEqual(sent?.["configuration"], { returnImmediately: true });
  });

  it("is not what an agent of 0.3 is asked to wait for either", async (context) => {
    const task = { kind: "task", id: there.taskId, contextId: there.contextId };
    const agent = await rpcAgent(
      context,
      {
        "message/send": rpc({ result: { ...task, status: { state: "working" } } }),
        "tasks/get": rpc({ result: { ...task, status: { state: "completed" } } }),
      },
      { version: "0.3", streaming: false },
    );
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
    assert.deepEqual(agent.calls("message/send")[0]?.["configuration"], { blocking: false });
  });

  it("comes without a stream from an agent that only says it streams", async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: failing(-32601, "Method not found"),
      SendMessage: rpc({ result: { message: saying("hello") } }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["message hello"]);
  });

  it("is not the question that the message answers", async (context) => {
    const message = saying("which one?");
    const agent = await rpcAgent(context, {
      SendStreamingMessage: rpcEvents([
        snapshot("INPUT_REQUIRED", { message }),
        update("WORKING"),
        update("COMPLETED"),
      ]),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const task = { ...taskIn("INPUT_REQUIRED", { message }), id: "task-1" };
    const all = await told(handler.handle(turnOf("hi", { task, upstream: there })));
    assert.deepEqual(all, ["COMPLETED"]);
  });
});

describe("a task that is gone on with", () => {
  const turn = turnOf("hi", {
    upstream: there,
    task: { ...taskIn("WORKING", { artifacts: [artifactOf("a", "one ")] }), id: "task-1" },
  });

  it("is subscribed to", async (context) => {
    const agent = await rpcAgent(context, {
      SubscribeToTask: rpcEvents([
        snapshot("WORKING", { artifacts: [artifactOf("a", "one two")] }),
        update("COMPLETED"),
      ]),
    });
    const handler = await handlerOf(context, { url: agent.url });
    assert.deepEqual(await told(resumed(handler, turn)), ["a+two", "COMPLETED"]);
  });

  it("goes on by itself after credentials were asked for", async (context) => {
    const agent = await rpcAgent(context, {
      SubscribeToTask: rpcEvents([
        snapshot("AUTH_REQUIRED", { message: saying("sign in") }),
        update("WORKING"),
        update("COMPLETED"),
      ]),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const task = { ...taskIn("AUTH_REQUIRED", { message: saying("sign in") }), id: "task-1" };
    const all = await told(resumed(handler, turnOf("hi", { upstream: there, task })));
    assert.deepEqual(all, ["WORKING", "COMPLETED"]);
  });

  it("waits for credentials also where the agent does not stream", async (context) => {
    const waiting = rpc({ result: taskIn("AUTH_REQUIRED", { message: saying("sign in") }) });
    const agent = await rpcAgent(
      context,
      { GetTask: [waiting, json({}, 503), waiting, ended] },
      { streaming: false },
    );
    const handler = await handlerOf(context, { url: agent.url, retries: { attempts: 1 } });
    const task = { ...taskIn("AUTH_REQUIRED", { message: saying("sign in") }), id: "task-1" };
    const all = await told(resumed(handler, turnOf("hi", { upstream: there, task })));
    assert.deepEqual(all, ["a=one two", "COMPLETED"]);
  });

  it("waits for an agent that has not been reached since the start", async (context) => {
    const scripts = { SubscribeToTask: rpcEvents([snapshot("COMPLETED")]) };
    const agent = await rpcAgent(context, scripts, { absences: 3 });
    const timers = new HastyTimers();
    const handler = await openHandler(context, { url: agent.url }, timers, () => undefined);
    assert.deepEqual(await told(resumed(handler, turn)), ["COMPLETED"]);
  });

  it("is asked for where the agent does not stream", async (context) => {
    const agent = await rpcAgent(
      context,
      { GetTask: [json({}, 503), rpc({ result: taskIn("WORKING") }), ended] },
      { streaming: false },
    );
    const handler = await handlerOf(context, { url: agent.url, retries: { attempts: 1 } });
    assert.deepEqual(await told(resumed(handler, turn)), ["a+two", "COMPLETED"]);
  });
});

it("keeps the connection for the next turn, also where its reader leaves with the end", async (context) => {
  const agent = await rpcAgent(context, {
    SendStreamingMessage: rpcEvents([snapshot("WORKING"), update("COMPLETED")]),
  });
  const handler = await handlerOf(context, { url: agent.url });
  const turn = async () => {
    for await (const event of handler.handle(turnOf("hi")))
      if (event.kind === "status" && event.state === "TASK_STATE_COMPLETED") return;
    assert.fail("no end");
  };
  await turn();
  const before = agent.connections();
  for (let count = 0; count < 8; count++) await turn();
  // One may be free only after the next turn has begun.
  assert.ok(agent.connections() <= before + 1);
});

describe("names", () => {
  const failed = async (...[context, error, turn]: Parameters<typeof answered>) =>
    (await answered(context, error, turn))[0];

  async function answered(
    context: Parameters<typeof rpcAgent>[0],
    error: { code: number; message: string },
    turn: ReturnType<typeof turnOf>,
  ) {
    const agent = await rpcAgent(context, { SendStreamingMessage: rpc({ error }) });
    const handler = await handlerOf(context, { url: agent.url });
    return told(handler.handle(turn));
  }

  it("in errors are those that things have here", async (context) => {
    const error = { code: -32602, message: "no u-task-7 in u-context, but u-task-77" };
    const turn = turnOf("hi", { upstream: there, contextGiven: true });
    const text = "!INVALID_PARAMS: no task-1 in context-1, but u-task-77";
    assert.equal(await failed(context, error, turn), text);
  });

  it("in errors are those of the tasks that a message refers to", async (context) => {
    const error = { code: -32001, message: "Task not found: u-old" };
    const referencedUpstreams = new Map([["old", { taskId: "u-old", contextId: undefined }]]);
    const turn = turnOf("hi", { referencedUpstreams });
    assert.equal(await failed(context, error, turn), "!TASK_NOT_FOUND: Task not found: old");
  });
});
