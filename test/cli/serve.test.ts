import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { connect } from "../../src/cli/client/client.ts";
import { command, serve, temporaryFile, type Serving } from "./command.ts";

const SLOW = `
listen: 127.0.0.1:0
database: ":memory:"
stop: { grace: 1m }
agents:
  slow:
    name: Slow
    description: Takes its time
    static: { otherwise: { script: [{ status: working }, { delay: 1m }] } }
`;

async function answerText(url: string, text: string): Promise<string | undefined> {
  const client = await connect({ url, headers: {} });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] } as const;
  const answer = await client.call("sendMessage", { message });
  return "task" in answer ? answer.task.artifacts?.[0]?.parts[0]?.text : undefined;
}

test("serve without a file echoes, says where when it is ready, and ends well at SIGTERM", async (t) => {
  const serving = await serve(t, ["--port", "0"]);
  assert.match(serving.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await answerText(serving.url, "hello"), "hello");
  assert.equal((await fetch(`${String(serving.ready["ops"])}/readyz`)).status, 200);

  serving.child.kill("SIGTERM");
  assert.equal(await serving.ended, 0);
});

test("serve --exec answers with what the program writes, under the name it was given", async (t) => {
  const card = ["--name", "Shout", "--description", "Shouts", "--skill", "loud: Says it loud"];
  const program = ["--exec", "tr a-z A-Z; echo ${HOME:+.}", "--no-streaming"];
  const { url } = await serve(t, [...program, ...card, "--port", "0", "--database", ":memory:"]);
  assert.match((await answerText(url, "hello")) ?? "", /^HELLO\.?\n?/);
  const { stdout } = await command(["card", url, "--json"]);
  const served = JSON.parse(stdout);
  assert.deepEqual(
    [served.name, served.description, served.capabilities.streaming, served.skills],
    [
      "Shout",
      "Shouts",
      false,
      [{ id: "loud", name: "loud", description: "Says it loud", tags: ["loud"] }],
    ],
  );
});

test("a second signal ends at once, with exit code 1", async (t) => {
  const serving = await serve(t, [await temporaryFile(t, "config.yaml", SLOW)]);
  const { url } = serving;
  const { stdout } = await command(["send", url, "go", "--no-wait"]);
  assert.match(stdout, /^task \S+ {2}(submitted|working)\n/);

  serving.child.kill("SIGINT");
  await refused(url);
  serving.child.kill("SIGINT");
  assert.equal(await serving.ended, 1);
});

test("a second signal ends the programs that still run", async (t) => {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  // A child of the shell: it ends with its group, not with the program that the gateway started.
  const program = `${process.execPath} -e 'net.connect(${port}, "127.0.0.1")'; echo done`;
  const text = SLOW.replace(/static: .*/, `exec: ${JSON.stringify(program)}`);
  const serving = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  const connected = once(server, "connection") as Promise<[Socket]>;
  await command(["send", serving.url, "go", "--no-wait"]);
  const [socket] = await connected;
  const gone = once(
    socket.on("error", () => {}),
    "close",
  );

  serving.child.kill("SIGTERM");
  await refused(serving.url);
  serving.child.kill("SIGTERM");
  assert.equal(await serving.ended, 1);
  await gone;
});

test("a mistake in a handler is told in a line that names the agent, with exit code 1", async (t) => {
  const text = SLOW.replace(/static: .*/, 'static: { otherwise: { message: "{{foo}}" } }');
  const file = await temporaryFile(t, "config.yaml", text);
  assert.deepEqual(await command(["serve", file]), {
    code: 1,
    stdout: "",
    stderr: `${file}:9:37: agents.slow.static.otherwise.message: no variable "foo"\n`,
  });
});

const ADDRESSES = [
  ["listen", "A2A_GATEWAY_LISTEN"],
  ["grpcListen", "A2A_GATEWAY_GRPC_LISTEN"],
  ["ops.listen", "A2A_GATEWAY_OPS_LISTEN"],
] as const;
for (const [setting, variable] of ADDRESSES)
  test(`a port in use is told in a line that names ${setting}, with exit code 1`, async (t) => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const free = { A2A_GATEWAY_LISTEN: "127.0.0.1:0", A2A_GATEWAY_OPS_LISTEN: "off" };
    const args = ["serve", "--database", ":memory:"];
    const { code, stderr } = await command(args, undefined, { ...free, [variable]: address });
    assert.equal(code, 1);
    // The gRPC library may have put in a word of its own before.
    assert.equal(
      stderr.split("\n").at(-2),
      `error: listen ${address} is in use (setting ${setting}, ${variable})`,
    );
  });

test("a database without its folder is told in a line, with exit code 1", async () => {
  const { code, stderr } = await command(["serve", "--database", "/no/such/folder/a.db"]);
  assert.equal(code, 1);
  assert.equal(stderr, "error: there is no folder /no/such/folder for the database\n");
});

test("a module that leaves a canceled promise alone for a moment costs a line in the log", async (t) => {
  const module = await temporaryFile(
    t,
    "agent.mjs",
    `export default async function* ({ signal }) {
      yield { status: "working" };
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
      const lost = aborted.then(() => { throw new Error("lost"); });
      await aborted.then(() => new Promise(setImmediate));
      await lost;
    }`,
  );
  const text = SLOW.replace(/static: .*/, `module: ${module}`);
  const serving = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  const logged = lineWith(serving, "a rejection was not handled, perhaps one of a module agent");
  const client = await connect({ url: serving.url, headers: {} });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] } as const;
  const configuration = { returnImmediately: true };
  const answer = await client.call("sendMessage", { message, configuration });
  assert.ok("task" in answer);
  const { status } = await client.call("cancelTask", { id: answer.task.id });
  assert.equal(status.state, "TASK_STATE_CANCELED");
  assert.deepEqual((await logged)["level"], "error");

  serving.child.kill("SIGTERM");
  assert.equal(await serving.ended, 0);
});

test("an exception that nobody catches is logged and ends the process with exit code 1", async (t) => {
  const module = await temporaryFile(
    t,
    "agent.mjs",
    "export default async function* () { setImmediate(() => { throw new Error('lost'); }); yield 'x'; }\n",
  );
  const text = SLOW.replace(/static: .*/, `module: ${module}`);
  const serving = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  const logged = lineWith(serving, "uncaught exception");
  await command(["send", serving.url, "go"]);
  await logged;
  assert.equal(await serving.ended, 1);
});

test("a server whose output nobody reads any more goes on, and ends well at SIGTERM", async (t) => {
  const module = await temporaryFile(
    t,
    "agent.mjs",
    `export default async function* () {
      for (let line = 0; line < 1000; line++) process.stdout.write("chatty\\n");
      process.stderr.write("chatty\\n");
      yield { message: "hi" };
    }`,
  );
  const text = SLOW.replace(/static: .*/, `module: ${module}`);
  const { child, url, ended } = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let call = 0; call < 3; call++)
    assert.match((await command(["send", url, "go"])).stdout, /hi/);

  child.kill("SIGTERM");
  assert.equal(await ended, 0);
});

test("a module that never closes does not keep the process", async (t) => {
  const module = await temporaryFile(
    t,
    "agent.mjs",
    "export const close = () => new Promise(() => {}); export async function* handle() {}\n",
  );
  const text = SLOW.replace(/static: .*/, `module: ${module}`);
  const { child, ended } = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
});

/** The first line of the log that says so, from now on. */
async function lineWith({ child }: Serving, message: string): Promise<Record<string, unknown>> {
  assert.ok(child.stdout);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Record<string, unknown>;
    if (line["msg"] === message) {
      child.stdout.resume();
      return line;
    }
  }
  throw new Error(`the log ended without "${message}"`);
}

/** Resolves once the server takes no more calls, which is the sign that it is stopping. */
async function refused(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(url, { headers: { connection: "close" } });
    } catch {
      return;
    }
  }
}

test("a variable that looks like a setting and is none is told at the start", async () => {
  const args = ["serve", "--database", "/no/such/folder/a.db"];
  const { stdout } = await command(args, undefined, { A2A_GATEWAY_LISTN: "127.0.0.1:1" });
  const { level, msg, variable, nearest } = JSON.parse(stdout);
  assert.deepEqual(
    [level, msg, variable, nearest],
    ["warn", "unknown variable", "A2A_GATEWAY_LISTN", "A2A_GATEWAY_LISTEN"],
  );
});
