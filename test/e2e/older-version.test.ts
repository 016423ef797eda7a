/** What is particular to the doors of version 0.3, end to end. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { openHttp, sendHttp } from "../support/http-client.ts";
import {
  olderGrpc,
  OlderRefusal,
  olderRest,
  olderRpc,
  type Fields,
  type OlderGrpc,
} from "../support/older-doors.ts";
import { Puppet, ScriptedHandler } from "../support/scripted-handler.ts";

const EXTENSION = "https://example.com/ext/v1";

/** Ends in the state that the message names. */
async function* obey(turn: Turn): AsyncIterable<HandlerEvent> {
  const [part] = turn.message.parts;
  const state = String(part?.text) as TaskState;
  yield { kind: "artifact", artifact: { parts: turn.message.parts } };
  if (state.startsWith("TASK_STATE_")) yield { kind: "status", state };
}

const handler = new ScriptedHandler(obey);
let gateway: RunningGateway;
let grpc: OlderGrpc;

before(async () => {
  const extensions = [{ uri: EXTENSION, required: true }];
  gateway = await runGateway({
    agents: {
      agent: { handler, settings: { push: "off" } },
      strict: { handler, settings: { extensions } },
    },
  });
  grpc = olderGrpc(gateway.port);
});
after(async () => {
  grpc.close();
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

let messages = 0;
const newId = (): string => `m-${(messages += 1)}`;

const said = (text: string, rest: object = {}): Fields => ({
  kind: "message",
  messageId: newId(),
  role: "user",
  parts: [{ kind: "text", text }],
  ...rest,
});
const protoSaid = (text: string): Fields => ({
  message_id: newId(),
  role: "ROLE_USER",
  content: [{ text }],
});

const rpc = () => olderRpc(gateway.port);
const rest = () => olderRest(gateway.port);

async function all<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const event of events) taken.push(event);
  return taken;
}

/** The `final` of each status event of a stream, as each door spells it. */
const STREAMS: Readonly<Record<string, (text: string) => Promise<readonly unknown[]>>> = {
  "JSON-RPC": async (text) =>
    (await all(rpc().stream("message/stream", { message: said(text) })))
      .filter(({ kind }) => kind === "status-update")
      .map((event) => event["final"]),
  "HTTP+JSON": async (text) =>
    (await all(rest().stream("POST", "/message:stream", { request: protoSaid(text) }))).flatMap(
      ({ statusUpdate }) => (statusUpdate ? [(statusUpdate as Fields)["final"] ?? false] : []),
    ),
  gRPC: async (text) =>
    (await all(grpc.stream("SendStreamingMessage", { request: protoSaid(text) }))).flatMap(
      (event) =>
        event["status_update"] ? [(event["status_update"] as Fields)["final"] ?? false] : [],
    ),
};

for (const [name, finals] of Object.entries(STREAMS))
  describe(`a stream on ${name}`, () => {
    for (const state of ["COMPLETED", "FAILED", "REJECTED", "CANCELED", "INPUT_REQUIRED"])
      test(`is final at its end in ${state}, and only there`, async () => {
        const flags = await finals(`TASK_STATE_${state}`);
        assert.equal(flags.at(-1), true);
        assert.equal(flags.filter(Boolean).length, 1);
      });

    test("is not final at a demand for credentials, after which it goes on", async () => {
      const puppet = new Puppet();
      handler.script = puppet.script;
      puppet.say({ kind: "status", state: "TASK_STATE_AUTH_REQUIRED" });
      const waiting = finals("go");
      setImmediate(() => {
        puppet.say({ kind: "status", state: "TASK_STATE_COMPLETED" });
        puppet.end();
      });
      const flags = await waiting;
      handler.script = obey;
      assert.deepEqual(flags, [...flags.slice(0, -1).map(() => false), true]);
      assert(flags.length >= 2);
    });
  });

describe("a stream of tasks/resubscribe", () => {
  test("is not final at a question, only at the end", async () => {
    const task = (await rpc().call("message/send", {
      message: said("TASK_STATE_INPUT_REQUIRED"),
    })) as Fields;
    const following = rpc().stream("tasks/resubscribe", { id: task["id"] });
    assert.equal((await following.next()).value?.["kind"], "task");
    for (const text of ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"])
      await rpc().call("message/send", { message: said(text, { taskId: task["id"] }) });
    const finals = (await all(following))
      .filter(({ kind }) => kind === "status-update")
      .map((event) => event["final"]);
    assert(finals.length >= 2);
    assert.deepEqual(finals, [...finals.slice(0, -1).map(() => false), true]);
  });
});

describe("an error before the first event", () => {
  for (const [method, params, code] of [
    ["tasks/resubscribe", { id: "none" }, -32001],
    ["tasks/resubscribe", {}, -32602],
    ["message/stream", { message: { kind: "message" } }, -32602],
    ["message/stream", { message: said("hi", { taskId: "none" }) }, -32001],
  ] as const)
    test(`is the only event of ${method}: ${code}`, async () => {
      const incoming = await openHttp(gateway.port, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      assert.equal(incoming.headers["content-type"], "text/event-stream");
      const text = (await incoming.setEncoding("utf8").toArray()).join("");
      const event = /^data: (.+)\n\n$/.exec(text);
      assert(event, text);
      const { id, error } = JSON.parse(event[1] ?? "") as { id: number; error: Fields };
      assert.deepEqual([id, error["code"]], [1, code]);
    });
});

describe("waiting", () => {
  const stateOf = (answer: unknown): unknown => ((answer as Fields)["status"] as Fields)["state"];
  const sends: Readonly<Record<string, (configuration?: Fields) => Promise<unknown>>> = {
    "JSON-RPC": async (configuration) =>
      stateOf(
        await rpc().call("message/send", {
          message: said("slow"),
          ...(configuration && { configuration }),
        }),
      ),
    "HTTP+JSON": async (configuration) => {
      const body = { request: protoSaid("slow"), ...(configuration && { configuration }) };
      return stateOf((await rest().call("POST", "/message:send", body))["task"]);
    },
    gRPC: async (configuration) => {
      const request = { request: protoSaid("slow"), ...(configuration && { configuration }) };
      return stateOf((await grpc.call("SendMessage", request))["task"]);
    },
  };
  /** Tells the agent to end once an answer is there, or at the latest after a moment. */
  const slowly = async (send: () => Promise<unknown>): Promise<unknown> => {
    const puppet = new Puppet();
    handler.script = puppet.script;
    puppet.say({ kind: "status", state: "TASK_STATE_WORKING" });
    const end = (): void => {
      puppet.say({ kind: "status", state: "TASK_STATE_COMPLETED" });
      puppet.end();
    };
    const timer = setTimeout(end, 400);
    try {
      return await send();
    } finally {
      clearTimeout(timer);
      end();
      handler.script = obey;
    }
  };
  const isDone = (state: unknown): boolean => /completed/i.test(String(state));

  for (const [name, send] of Object.entries(sends)) {
    for (const configuration of [undefined, {}, { blocking: true }])
      test(`${name} waits with the configuration ${JSON.stringify(configuration)}`, async () => {
        assert(isDone(await slowly(() => send(configuration))));
      });
    if (name !== "gRPC")
      test(`${name} does not wait when told so`, async () => {
        assert(!isDone(await slowly(() => send({ blocking: false }))));
      });
  }

  test("gRPC does not wait unless told to, where the operator says so", async () => {
    const other = await runGateway({
      agents: { agent: { handler } },
      settings: { v03: { grpcBlockingDefault: false } },
    });
    const client = olderGrpc(other.port);
    const send = async (configuration: Fields): Promise<unknown> => {
      const answer = await client.call("SendMessage", {
        request: protoSaid("slow"),
        configuration,
      });
      return stateOf(answer["task"]);
    };
    try {
      assert(!isDone(await slowly(() => send({ blocking: false }))));
      assert(isDone(await slowly(() => send({ blocking: true }))));
    } finally {
      client.close();
      await other.stop();
    }
  });
});

describe("history", () => {
  let id: string;
  before(async () => {
    const params = { message: said("TASK_STATE_INPUT_REQUIRED") };
    id = String(((await rpc().call("message/send", params)) as Fields)["id"]);
    await rpc().call("message/send", {
      message: said("TASK_STATE_INPUT_REQUIRED", { taskId: id }),
    });
  });
  const lengths = async (historyLength: number): Promise<readonly number[]> => {
    const name = `tasks/${id}`;
    const tasks = [
      await rpc().call("tasks/get", { id, historyLength }),
      await rest().call("GET", `/tasks/${id}?historyLength=${historyLength}`),
      await rest().call("GET", `/tasks/${id}?history_length=${historyLength}`),
      await grpc.call("GetTask", { name, history_length: historyLength }),
    ] as Fields[];
    return tasks.map(({ history }) => (history as unknown[] | undefined)?.length ?? 0);
  };

  test("is cut to the newest messages", async () => {
    assert.deepEqual(await lengths(1), [1, 1, 1, 1]);
  });

  test("is left out for 0, but on gRPC, where 0 is no number at all", async () => {
    assert.deepEqual(await lengths(0), [0, 0, 0, 2]);
  });

  test("is never negative", async () => {
    await assert.rejects(rpc().call("tasks/get", { id, historyLength: -1 }), /historyLength/);
    await assert.rejects(rest().call("GET", `/tasks/${id}?historyLength=-1`), /historyLength/i);
    const negative = grpc.call("GetTask", { name: `tasks/${id}`, history_length: -1 });
    await assert.rejects(negative, /history/);
  });
});

describe("extensions", () => {
  const ask = (header: string, value: string) =>
    sendHttp(gateway.port, {
      method: "POST",
      path: "/a2a/strict",
      headers: { "content-type": "application/json", [header]: value },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tasks/get",
        params: { id: "none" },
      }),
    });

  for (const header of ["X-A2A-Extensions", "A2A-Extensions"])
    test(`are named by ${header}, and those that the agent has are named in the answer`, async () => {
      const { headers, text } = await ask(header, ` https://example.com/other ,  ${EXTENSION}`);
      assert.match(text, /-32001/);
      assert.equal(headers["x-a2a-extensions"], EXTENSION);
    });

  test("that are required and missing are refused as an unsupported operation", async () => {
    const { headers, text } = await ask("X-A2A-Extensions", "https://example.com/ext/v2");
    const { error } = JSON.parse(text) as { error: Fields };
    assert.equal(error["code"], -32004);
    assert.match(String(error["message"]), /ext\/v1/);
    assert.equal("data" in error, false);
    assert.equal(headers["x-a2a-extensions"], undefined);
  });

  test("are named in the metadata of gRPC", async () => {
    const named = { "a2a-agent": "strict", "x-a2a-extensions": EXTENSION };
    await assert.rejects(
      grpc.call("GetTask", { name: "tasks/none" }, named),
      (thrown) => thrown instanceof OlderRefusal && thrown.code === 5,
    );
  });
});

describe("the bytes of a file", () => {
  const BYTES = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a]);
  const file = (bytes: string): Fields => ({
    kind: "file",
    file: { bytes, mimeType: "application/x", name: "f" },
  });
  const TEXTS = [
    BYTES.toString("base64"),
    BYTES.toString("base64url"),
    BYTES.toString("base64").replace(/=+$/, ""),
  ];

  /** What the agent was given, which it has made an artifact of. */
  const received = async (id: unknown): Promise<unknown> => {
    const task = await gateway.doors[0].call("getTask", { id });
    return (task["artifacts"] as { parts: Fields[] }[])[0]?.parts[0];
  };
  const expected = {
    raw: BYTES.toString("base64"),
    mediaType: "application/x",
    filename: "f",
  };

  for (const text of TEXTS)
    test(`arrive from the base64 ${text}`, async () => {
      const sent = (await rpc().call("message/send", {
        message: { ...said(""), parts: [file(text)] },
      })) as Fields;
      assert.deepEqual(await received(sent["id"]), expected);
      const part = { file: { fileWithBytes: text, mimeType: "application/x", name: "f" } };
      const request = { ...protoSaid(""), content: [part] };
      const { task } = await rest().call("POST", "/message:send", { request });
      assert.deepEqual(await received((task as Fields)["id"]), expected);
    });

  test("arrive over gRPC, and leave as they came", async () => {
    const part = { file: { file_with_bytes: BYTES, mime_type: "application/x", name: "f" } };
    const request = { ...protoSaid(""), content: [part] };
    const { task } = await grpc.call("SendMessage", { request });
    const { id, artifacts } = task as { id: string; artifacts: { parts: Fields[] }[] };
    assert.deepEqual(await received(id), expected);
    const seen = artifacts[0]?.parts[0]?.["file"] as Fields;
    assert.equal(seen["file_with_bytes"], BYTES.toString("base64"));
  });
});

describe("HTTP+JSON takes the bodies that clients send", () => {
  const text = "TASK_STATE_COMPLETED";
  const bodies: Readonly<Record<string, Fields>> = {
    "request and content": { request: protoSaid(text) },
    "message and content": { message: protoSaid(text) },
    "camelCase names": {
      request: { messageId: newId(), role: "ROLE_USER", content: [{ text }] },
      configuration: { historyLength: 1, acceptedOutputModes: ["text/plain"] },
    },
    "the parameters of JSON-RPC": { message: said(text) },
  };
  for (const [name, body] of Object.entries(bodies))
    test(name, async () => {
      const { task } = await rest().call("POST", "/message:send", body);
      assert.equal(((task as Fields)["status"] as Fields)["state"], text);
    });

  test("but not that of 1.0, and says so", async () => {
    const message = { messageId: newId(), role: "ROLE_USER", parts: [{ text }] };
    await assert.rejects(
      rest().call("POST", "/message:send", { message }),
      (thrown) =>
        thrown instanceof OlderRefusal && thrown.code === 400 && /1\.0/.test(thrown.message),
    );
  });

  for (const [name, body] of Object.entries({
    "a bare push configuration": { url: "https://example.com/hook" },
    "one under config": { config: { url: "https://example.com/hook" } },
    "one under pushNotificationConfig": {
      pushNotificationConfig: { url: "https://example.com/hook" },
    },
    "one in the protobuf's names": {
      parent: "tasks/none",
      config_id: "default",
      config: { push_notification_config: { url: "https://example.com/hook" } },
    },
  }))
    test(`${name}, which this agent does not support`, async () => {
      const path = "/tasks/none/pushNotificationConfigs";
      await assert.rejects(rest().call("POST", path, body), /Push Notification is not supported/);
    });
});

describe("bad input", () => {
  const parts: readonly (readonly [part: unknown, field: string])[] = [
    [{ kind: "text" }, "message.parts[0].text"],
    [{ kind: "file", file: {} }, "message.parts[0].file"],
    [{ kind: "file", file: { uri: "u", bytes: "AA==" } }, "message.parts[0].file"],
    [{ kind: "file", file: { bytes: "%%%" } }, "message.parts[0].file.bytes"],
    [{ kind: "video" }, "message.parts[0].kind"],
    [{ text: "hi" }, "message.parts[0].kind"],
    [null, "message.parts[0]"],
  ];
  for (const [part, field] of parts)
    test(`the part ${JSON.stringify(part)} is refused with its path`, async () => {
      const refusal = rpc().call("message/send", { message: { ...said(""), parts: [part] } });
      await assert.rejects(
        refusal,
        (thrown) =>
          thrown instanceof OlderRefusal &&
          thrown.code === -32602 &&
          thrown.message.startsWith(`${field}:`),
      );
    });

  for (const wrong of [
    { role: "assistant" },
    { role: undefined },
    { messageId: undefined },
    { parts: undefined },
    { parts: [] },
    { parts: "hi" },
  ])
    test(`a message with ${JSON.stringify(wrong)} is refused with its path`, async () => {
      const [field] = Object.keys(wrong);
      const refusal = rpc().call("message/send", { message: { ...said("hi"), ...wrong } });
      await assert.rejects(refusal, new RegExp(`message\\.${field}`));
    });

  for (const name of ["none", "", "tasks/", "task/none", "tasks/none/more", "tasks/a/b/c"])
    test(`the resource name ${JSON.stringify(name)} is refused on gRPC`, async () => {
      for (const method of ["GetTask", "CancelTask"])
        await assert.rejects(
          grpc.call(method, { name }),
          (thrown) => thrown instanceof OlderRefusal && thrown.code === 3,
        );
    });
});

describe("what has ended", () => {
  test("is not cancelled again", async () => {
    const params = { message: said("TASK_STATE_INPUT_REQUIRED") };
    const { id } = (await rpc().call("message/send", params)) as Fields;
    const canceled = (await rpc().call("tasks/cancel", { id })) as Fields;
    assert.equal((canceled["status"] as Fields)["state"], "canceled");
    const code = (wanted: number) => (thrown: unknown) =>
      thrown instanceof OlderRefusal && thrown.code === wanted;
    await assert.rejects(rpc().call("tasks/cancel", { id }), code(-32002));
    await assert.rejects(rest().call("POST", `/tasks/${String(id)}:cancel`), code(409));
    await assert.rejects(grpc.call("CancelTask", { name: `tasks/${String(id)}` }), code(9));
    // To 1.0 it is the same call once more.
    const again = await gateway.doors[0].call("cancelTask", { id });
    assert.equal((again["status"] as Fields)["state"], "TASK_STATE_CANCELED");
  });
});
