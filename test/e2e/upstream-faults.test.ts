/**
 * Remote agents that answer wrongly, in pieces or not at all: on each door the caller gets the error that it is, or the
 * true end of its task; another agent's task does not notice, and nothing stays open.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ERRORS, type ErrorReason } from "../../src/protocol/errors.ts";
import { Refusal, type Door } from "../support/doors.ts";
import { fakeGrpcAgent, messages as grpcMessages } from "../support/fake-agent/grpc.ts";
import {
  body,
  endlessLine,
  gzipBomb,
  json,
  reset,
  rpc,
  rpcEvents,
  rpcOf,
  silence,
} from "../support/fake-agent/answers.ts";
import { held } from "../support/fake-agent/held.ts";
import { rpcAgent, type RpcAgentOptions, type Scripts } from "../support/fake-agent/rpc-agent.ts";
import {
  artifactOf,
  chunk,
  saying,
  snapshot,
  taskIn,
  there,
  update,
  whole,
} from "../support/fake-agent/told.ts";
import type { Script } from "../support/fake-agent.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { olderRest, OlderRefusal, type Fields } from "../support/older-doors.ts";
import { messages } from "../../src/wire/v1/messages.ts";

type Outcome =
  | { readonly error: ErrorReason; readonly says: RegExp }
  | { readonly state: string; readonly says?: RegExp; readonly artifacts: readonly string[] };

interface Fault {
  readonly name: string;
  readonly scripts: Scripts;
  readonly options?: RpcAgentOptions;
  readonly settings?: object;
  readonly outcome: Outcome;
}

const invalid = (says: RegExp): Outcome => ({ error: "INVALID_AGENT_RESPONSE", says });
const unavailable = (says: RegExp): Outcome => ({ error: "UNAVAILABLE", says });
const completed = (...artifacts: readonly string[]): Outcome => ({ state: "completed", artifacts });
const failed = (says: RegExp, ...artifacts: readonly string[]): Outcome => ({
  state: "failed",
  says,
  artifacts,
});

const begun = [snapshot("WORKING"), whole("one ")];
const working = rpc({ result: taskIn("WORKING") });
const ended = rpc({ result: taskIn("COMPLETED", { artifacts: [artifactOf("a", "one two")] }) });
const refusing = (code: number, message: string) => rpc({ error: { code, message } });

/** Byte by byte. */
const inPieces: Script = (response, received) => {
  const results = [...begun, chunk("two"), update("COMPLETED")];
  const texts = results.map((result) => JSON.stringify(rpcOf(received.body, { result })));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = Buffer.from(texts.map((text) => `: ping\r\ndata: ${text}\r\n\r\n`).join(""));
  const write = (index: number): void => {
    if (index === bytes.length) response.end();
    else response.write(bytes.subarray(index, index + 1), () => write(index + 1));
  };
  write(0);
};

const strange = { statusUpdate: { ...update("COMPLETED").statusUpdate, taskId: "u-other" } };
const elsewhere = { statusUpdate: { ...update("COMPLETED").statusUpdate, contextId: "u-2" } };
const paused = {
  statusUpdate: { ...there, status: { state: "TASK_STATE_PAUSED", message: saying("zzz") } },
};
const older = (state: string, final: boolean) => ({
  kind: "status-update",
  ...there,
  status: { state },
  final,
});
const olderTask = (state: string) => ({
  kind: "task",
  id: there.taskId,
  contextId: there.contextId,
  status: { state },
  artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "one two" }] }],
});

const FAULTS: readonly Fault[] = [
  {
    name: "never answers",
    scripts: { SendStreamingMessage: silence },
    settings: { headTimeout: "50ms" },
    outcome: { error: "DEADLINE_EXCEEDED", says: /did not begin to answer in time/ },
  },
  {
    name: "never answers a plain call",
    scripts: { SendMessage: silence },
    options: { streaming: false },
    settings: { callTimeout: "50ms" },
    outcome: { error: "DEADLINE_EXCEEDED", says: /did not answer within/ },
  },
  {
    name: "answers in pieces",
    scripts: { SendStreamingMessage: inPieces },
    outcome: completed("one two"),
  },
  {
    name: "answers with another content type",
    scripts: { SendStreamingMessage: body("text/csv", "hello") },
    outcome: invalid(/content type/),
  },
  {
    name: "answers with broken JSON",
    scripts: { SendStreamingMessage: body("application/json", '{"jsonrpc":') },
    outcome: invalid(/JSON/),
  },
  {
    name: "answers with nothing",
    scripts: { SendStreamingMessage: body("application/json", "") },
    outcome: invalid(/JSON/),
  },
  {
    name: "answers with an endless line",
    scripts: { SendStreamingMessage: endlessLine("text/event-stream") },
    settings: { maxEvent: "64KiB" },
    outcome: invalid(/./),
  },
  {
    name: "answers with a gzip bomb",
    scripts: { SendStreamingMessage: gzipBomb(64 * 1024 * 1024) },
    settings: { maxAnswer: "64KiB" },
    outcome: invalid(/./),
  },
  {
    name: "answers with an error page",
    scripts: { SendStreamingMessage: body("text/html", "<h1>Bad Gateway</h1>", 502) },
    outcome: unavailable(/HTTP 502/),
  },
  {
    name: "does not let the gateway in",
    scripts: { SendStreamingMessage: json({ error: "who are you?" }, 401) },
    outcome: unavailable(/refuses the gateway/),
  },
  {
    name: "cuts the connection at once",
    scripts: { SendStreamingMessage: reset },
    outcome: unavailable(/cut the connection/),
  },
  {
    name: "speaks another version than its card says",
    scripts: {
      SendStreamingMessage: refusing(-32601, "Method not found"),
      SendMessage: refusing(-32601, "Method not found"),
    },
    outcome: { error: "UNSUPPORTED_OPERATION", says: /Method not found/ },
  },
  {
    name: "resets the connection after some events",
    scripts: {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([
        snapshot("WORKING", { artifacts: [artifactOf("a", "one ")] }),
        chunk("two"),
        update("COMPLETED"),
      ]),
    },
    outcome: completed("one two"),
  },
  {
    name: "tells everything again after a reset",
    scripts: {
      SendStreamingMessage: rpcEvents(begun, "reset"),
      SubscribeToTask: rpcEvents([...begun, chunk("two"), update("COMPLETED")]),
      GetTask: ended,
    },
    outcome: completed("one two"),
  },
  {
    name: "ends its stream before the task",
    scripts: {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: refusing(-32004, "not supported"),
      GetTask: [working, json({}, 503), ended],
    },
    outcome: completed("one two"),
  },
  {
    name: "forgets its tasks",
    scripts: {
      SendStreamingMessage: rpcEvents(begun),
      SubscribeToTask: refusing(-32001, `Task not found: ${there.taskId}`),
      GetTask: refusing(-32001, `Task not found: ${there.taskId}`),
    },
    outcome: failed(/^the agent no longer knows the task/, "one "),
  },
  {
    name: "sends events of another task",
    scripts: { SendStreamingMessage: rpcEvents([...begun, strange]), GetTask: working },
    outcome: failed(/an event of another task/, "one "),
  },
  {
    name: "goes on in another context",
    scripts: { SendStreamingMessage: rpcEvents([...begun, elsewhere]) },
    outcome: completed("one "),
  },
  {
    name: "breaks off with JSON that is none",
    scripts: {
      SendStreamingMessage: (response, received) => {
        const first = JSON.stringify(rpcOf(received.body, { result: snapshot("WORKING") }));
        body("text/event-stream", `data: ${first}\n\ndata: {"half":\n\n`)(response, received);
      },
      GetTask: working,
    },
    outcome: failed(/event 2/),
  },
  {
    name: "tells of a state that nobody knows",
    scripts: { SendStreamingMessage: rpcEvents([...begun, paused, update("COMPLETED")]) },
    outcome: completed("one "),
  },
  {
    name: "completes and leaves its stream open",
    scripts: { SendStreamingMessage: rpcEvents([...begun, update("COMPLETED")], "silence") },
    outcome: completed("one "),
  },
  {
    name: "calls no event final",
    scripts: { "message/stream": rpcEvents([older("completed", false)], "silence") },
    options: { version: "0.3" },
    outcome: completed(),
  },
  {
    name: "calls the wrong event final",
    scripts: {
      "message/stream": rpcEvents([older("working", true)], "silence"),
      "tasks/get": rpc({ result: olderTask("completed") }),
    },
    options: { version: "0.3" },
    outcome: completed("one two"),
  },
  {
    name: "repeats everything in snapshots",
    scripts: {
      SendStreamingMessage: rpcEvents([
        snapshot("WORKING", { artifacts: [artifactOf("a", "one ")] }),
        snapshot("WORKING", { artifacts: [artifactOf("a", "one ", "two")] }),
        snapshot("COMPLETED", { artifacts: [artifactOf("a", "one two")] }),
      ]),
    },
    outcome: completed("one two"),
  },
  {
    name: "repeats its chunks in a snapshot",
    scripts: {
      SendStreamingMessage: rpcEvents([
        ...begun,
        chunk("two"),
        snapshot("COMPLETED", { artifacts: [artifactOf("a", "one two")] }),
      ]),
    },
    outcome: completed("one two"),
  },
  {
    name: "gives no ids to what it says",
    scripts: {
      SendStreamingMessage: rpcEvents([
        whole("one ", ""),
        chunk("two", ""),
        whole("three", ""),
        snapshot("COMPLETED", {
          message: saying("done", ""),
          history: [saying("well", "")],
          artifacts: [artifactOf("", "one two"), artifactOf("", "three")],
        }),
      ]),
    },
    outcome: { ...completed("one two", "three"), says: /^done$/ } as Outcome,
  },
  {
    name: "answers a blocking call early",
    scripts: {
      SendMessage: rpc({ result: { task: taskIn("SUBMITTED") } }),
      GetTask: [rpc({ result: taskIn("SUBMITTED") }), working, ended],
    },
    options: { streaming: false },
    outcome: completed("one two"),
  },
];

describe("an agent that", () => {
  for (const { name, scripts, options, settings, outcome } of FAULTS)
    test(name, async (context) => {
      const agent = await rpcAgent(context, scripts, options);
      const stream = held();
      const other = await rpcAgent(context, {
        SendStreamingMessage: (response, received) => {
          rpcEvents([snapshot("WORKING")], "silence")(response, received);
          stream.script(response, received);
        },
      });
      const gateway = await gatewayTo({ faulty: agent.url, other: other.url }, settings);
      context.after(() => gateway.stop());
      const notice = withoutNotice(gateway.doorsOf("other")[0], () =>
        stream.answer((response, { body: text }) => {
          const result = rpcOf(text, { result: update("COMPLETED") });
          response.end(`data: ${JSON.stringify(result)}\n\n`);
        }),
      );
      await onThreeDoors(gateway, outcome);
      await notice();
      await Promise.all([agent.quiet(), other.quiet()]);
      assert.deepEqual(gateway.log.errors, []);
    });

  for (const [name, script, outcome] of [
    [
      "sends no trailers",
      grpcMessages([message(snapshot("WORKING"))], "none"),
      failed(/no longer knows/),
    ],
    [
      "resets its stream",
      grpcMessages([message(snapshot("WORKING"))], "reset"),
      failed(/no longer knows/),
    ],
    [
      "answers with a page of HTML",
      (stream) => {
        stream.respond({ ":status": 502, "content-type": "text/html" });
        stream.end("<h1>Bad Gateway</h1>");
      },
      unavailable(/502/),
    ],
  ] satisfies [string, Parameters<typeof fakeGrpcAgent>[1], Outcome][])
    test(`${name} on gRPC`, async (context) => {
      const agent = await fakeGrpcAgent(context, (stream, received) => {
        if (received.path.endsWith("/SendStreamingMessage")) return script(stream, received);
        const head = { ":status": 200, "content-type": "application/grpc", "grpc-status": "5" };
        stream.respond(head, { endStream: true });
      });
      const offer = { url: agent.address, protocolBinding: "GRPC", protocolVersion: "1.0" };
      const card = { ...CARD, supportedInterfaces: [offer] };
      const upstream = { card, health: { interval: "off" }, ...QUICK };
      const gateway = await runGateway({ agents: { faulty: { settings: { upstream } } } });
      context.after(() => gateway.stop());
      await onThreeDoors(gateway, outcome);
      await agent.deserted();
      assert.deepEqual(gateway.log.errors, []);
    });
});

const QUICK = {
  poll: { interval: "5ms", max: "5ms" },
  retries: { attempts: 1 },
  breaker: { failures: 1000 },
};

const CARD = {
  name: "Scripted",
  description: "Answers as a script says",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "any", name: "Any", description: "Whatever", tags: ["any"] }],
};

function message(response: object): Buffer {
  return Buffer.from(messages.StreamResponse.toProto(response as never));
}

function gatewayTo(
  urls: Readonly<Record<string, string>>,
  settings: object = {},
): Promise<RunningGateway> {
  const agents = Object.entries(urls).map(([id, url]) => {
    const upstream = { url, health: { interval: "off" }, ...QUICK, ...settings };
    return [id, { settings: { upstream } }] as const;
  });
  return runGateway({ agents: Object.fromEntries(agents) });
}

let sent = 0;

function saidHere(): object {
  sent += 1;
  return { messageId: `m-${sent}`, role: "ROLE_USER", parts: [{ text: "go" }] };
}

/** A task of another agent that began before, and ends when it is let to. */
function withoutNotice(door: Door, end: () => void): () => Promise<void> {
  const states: unknown[] = [];
  const reading = (async () => {
    for await (const { response } of door.stream("sendStreamingMessage", { message: saidHere() }))
      states.push(Object.keys(response)[0]);
  })();
  return async () => {
    end();
    await reading;
    assert.deepEqual(states, ["task", "statusUpdate", "statusUpdate"]);
  };
}

/** Sent on JSON-RPC 1.0 and gRPC 1.0, and on HTTP+JSON 0.3; and read as a stream. */
async function onThreeDoors(gateway: RunningGateway, outcome: Outcome): Promise<void> {
  const [rpcDoor, , grpcDoor] = gateway.doorsOf("faulty");
  for (const door of [rpcDoor, grpcDoor]) {
    const request = () => ({ message: saidHere() });
    await check(outcome, door.binding, async () => {
      const { task } = await door.call("sendMessage", request());
      return task as Fields;
    });
    await check(outcome, door.binding, async () => {
      let id: unknown;
      for await (const { response } of door.stream("sendStreamingMessage", request()))
        id ??= (response["task"] as Fields | undefined)?.["id"];
      return door.call("getTask", { id });
    });
  }
  const rest = olderRest(gateway.port, "/a2a/faulty");
  await check(outcome, "http", async () => {
    const { parts: content, ...said } = saidHere() as { parts: unknown };
    const configuration = { blocking: true };
    const asked = { request: { ...said, content }, configuration };
    const { task } = await rest.call("POST", "/message:send", asked);
    return task as Fields;
  });
}

async function check(
  outcome: Outcome,
  binding: "jsonrpc" | "http" | "grpc",
  send: () => Promise<Fields>,
): Promise<void> {
  const answer = await send().catch((thrown: unknown) => thrown);
  if ("error" in outcome) {
    assert.ok(answer instanceof Refusal || answer instanceof OlderRefusal, String(answer));
    const { [binding]: code } = ERRORS[outcome.error];
    // The specification of 0.3 has another status for it.
    const isOlder = answer instanceof OlderRefusal && outcome.error === "INVALID_AGENT_RESPONSE";
    assert.equal(answer.code, isOlder ? 502 : code, answer.message);
    assert.match(answer.message, outcome.says);
    assert.doesNotMatch(answer.message, /u-task-7/);
    return;
  }
  if (answer instanceof Error) throw answer;
  const task = answer as unknown as Ended;
  assert.match(task.status.state, new RegExp(`_${outcome.state}$`, "i"));
  const texts = (task.artifacts ?? []).map(({ artifactId, parts }) => {
    assert.notEqual(artifactId, "");
    return parts.map(({ text }) => text).join("");
  });
  assert.deepEqual(texts, outcome.artifacts);
  const said = task.status.message ?? task.status.update;
  if (outcome.says)
    assert.match(said?.[said.parts ? "parts" : "content"]?.[0]?.text ?? "", outcome.says);
  if (said) assert.notEqual(said.messageId, "");
  assert.doesNotMatch(JSON.stringify(task), /u-task-7|u-other/);
}

interface Said {
  readonly messageId: string;
  readonly parts?: readonly { readonly text: string }[];
  readonly content?: readonly { readonly text: string }[];
}

interface Ended {
  readonly status: { readonly state: string; readonly message?: Said; readonly update?: Said };
  readonly artifacts?: readonly {
    readonly artifactId: string;
    readonly parts: readonly { readonly text: string }[];
  }[];
}
