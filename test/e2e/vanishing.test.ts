/** Callers that open much and leave: what they held is let go. */
import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { A2AError } from "../../src/protocol/errors.ts";
import { refused } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { isCall } from "../support/recorded-log.ts";
import { Puppet, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { v1 } from "../../src/wire/v1/index.ts";
import { messages } from "../../src/wire/v1/messages.ts";
import { framed } from "./raw-grpc.ts";
import { atOnce, messageOf, taskIn } from "./requests.ts";

const STREAMS = 500;
const MEGABYTE = 1024 * 1024;

let gateway: RunningGateway;
let id = "";

before(async () => {
  const agent = new Puppet();
  agent.say(working);
  gateway = await runGateway({ agents: { agent: { handler: new ScriptedHandler(agent.script) } } });
  ({ id } = taskIn(await gateway.doors[0].call("sendMessage", atOnce("hi"))));
});
after(async () => {
  await gateway.stop();
  const [stopping] = gateway.log.lines.filter(({ message }) => message === "stopping");
  assert.equal(stopping?.fields["streams"], 0);
  assert.deepEqual(gateway.log.errors, []);
});

type Opened = Promise<{ leave(): void }>;

const OPENERS: readonly (readonly [name: string, open: () => Opened])[] = [
  [
    "JSON-RPC",
    () => overHttp("/", { jsonrpc: "2.0", id: 7, method: "SubscribeToTask", params: { id } }),
  ],
  ["HTTP+JSON", () => overHttp(`/tasks/${id}:subscribe`, {})],
  ["gRPC", overGrpc],
];

for (const [name, open] of OPENERS)
  test(`${name}: nothing is left of 500 streams whose callers vanish, twice`, async () => {
    const ended = () => gateway.log.lines.filter(isCall("subscribeToTask")).length;
    const round = async (): Promise<void> => {
      const before = ended();
      const callers = await Promise.all(Array.from({ length: STREAMS }, open));
      for (const caller of callers) caller.leave();
      await gateway.log.until(isCall("subscribeToTask"), before + STREAMS);
      assert.equal(ended(), before + STREAMS);
    };
    await round();
    const before = process.memoryUsage().rss;
    await round();
    const grown = (process.memoryUsage().rss - before) / MEGABYTE;
    assert(grown < 64, `${grown.toFixed(0)} MB more`);
    const answer = await gateway.doors[1].call("getTask", { id });
    assert.equal(answer["id"], id);
  });

test("a stream whose agent fails at once leaves no timer behind", async () => {
  const handler = new ScriptedHandler(() => {
    throw new A2AError("INVALID_PARAMS", "no");
  });
  const other = await runGateway({ agents: { failing: { handler } } });
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const [door] = other.doors;
  const fail = (): Promise<unknown> =>
    refused(door, door.stream("sendStreamingMessage", messageOf("hi")).next(), "INVALID_PARAMS");
  await fail();
  const before = timers();
  for (let n = 0; n < 20; n++) await fail();
  assert(timers() < before + 10, `${timers() - before} timers more`);
  await other.stop();
});

/** A stream on a connection of its own, open once its first event has come. */
function overHttp(path: string, body: object): Opened {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.on("error", reject);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    let seen = "";
    socket.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes("data: ")) resolve({ leave: () => socket.resetAndDestroy() });
    });
  });
}

function overGrpc(): Opened {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
    session.on("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": `/${v1.grpc.service}/SubscribeToTask`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => undefined);
    stream.on("data", () => resolve({ leave: () => session.destroy() }));
    stream.end(framed(messages.SubscribeToTaskRequest.toProto({ id })));
  });
}
