import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect } from "../../src/cli/client/client.ts";
import { command, serve, temporaryFile } from "./command.ts";

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

test("a port in use is told in a line, with exit code 1", async (t) => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await command([
    "serve",
    "--port",
    String(port),
    "--database",
    ":memory:",
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: listen EADDRINUSE.*\n$/);
});

test("a rejection that nobody handles is logged and ends the process with exit code 1", async (t) => {
  const module = await temporaryFile(
    t,
    "agent.mjs",
    "export default async function* () { void Promise.reject(new Error('lost')); yield 'x'; }\n",
  );
  const text = SLOW.replace(/static: .*/, `module: ${module}`);
  const serving = await serve(t, [await temporaryFile(t, "config.yaml", text)]);
  await command(["send", serving.url, "go"]);
  assert.equal(await serving.ended, 1);
});

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
