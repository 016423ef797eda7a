import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from "node:net";
import { test, type TestContext } from "node:test";
import { fetchCard } from "../../src/cli/client/card.ts";
import { connect } from "../../src/cli/client/client.ts";
import { command } from "./command.ts";

/** A server that nobody here wrote, as far as the client knows. */
async function remote(t: TestContext, listener: (url: string) => RequestListener): Promise<string> {
  const server = createServer();
  const url = await listening(t, server);
  t.after(() => server.closeAllConnections());
  server.on("request", listener(url));
  return url;
}

async function listening(t: TestContext, server: TcpServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a card with one JSON-RPC door, and this as the answer to every call. */
function agentThatAnswers(
  t: TestContext,
  type: string,
  body: string,
  status = 200,
): Promise<string> {
  return remote(t, (url) => (request, response) => {
    const isCard = request.url?.endsWith("agent-card.json") === true;
    const door = { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
    const card = JSON.stringify({ name: "Remote", supportedInterfaces: [door], capabilities: {} });
    response.writeHead(isCard ? 200 : status, {
      "content-type": isCard ? "application/json" : type,
    });
    response.end(isCard ? card : body);
  });
}

async function answerFrom(url: string): Promise<unknown> {
  const client = await connect({ url, headers: {} });
  return client.call("getTask", { id: "t" });
}

const ESCAPE = "\u001b[2J";

test("remote text reaches the terminal with its control characters escaped", async (t) => {
  const parts = [{ text: `hi ${ESCAPE}` }, { url: `http://x/${ESCAPE}`, filename: ESCAPE }];
  const result = { message: { messageId: "m", role: "ROLE_AGENT", parts } };
  const url = await agentThatAnswers(
    t,
    "application/json",
    JSON.stringify({ jsonrpc: "2.0", id: 1, result }),
  );
  const shown = await command(["send", url, "hello"]);
  assert.equal(shown.stdout, "hi \\x1b[2J\n\\x1b[2J at http://x/\\x1b[2J\n");
  assert.equal(shown.code, 0);
});

test("a remote error is shown escaped, and the exit code is 1", async (t) => {
  const error = { code: -32001, message: `no ${ESCAPE}`, data: [{ reason: "TASK_NOT_FOUND" }] };
  const url = await agentThatAnswers(
    t,
    "application/json",
    JSON.stringify({ jsonrpc: "2.0", id: 1, error }),
  );
  assert.deepEqual(await command(["tasks", "get", url, "t"]), {
    code: 1,
    stdout: "",
    stderr: "error: TASK_NOT_FOUND: no \\x1b[2J\n",
  });
});

test("an error without details keeps its code", async (t) => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32601, message: "no method" },
  });
  const url = await agentThatAnswers(t, "application/json", body);
  await assert.rejects(answerFrom(url), { code: -32601, reason: undefined, message: "no method" });
});

const BROKEN: readonly (readonly [title: string, type: string, body: string, message: RegExp])[] = [
  ["an HTML page", "text/html", "<html>", /^the answer is not JSON \(HTTP 502\): <html>$/],
  ["JSON that is no envelope", "application/json", "[]", /neither result nor error/],
  [
    "a result that is no task",
    "application/json",
    '{"result":{"id":7}}',
    /^the answer is no Task: /,
  ],
  [
    "a stream where one answer is due",
    "text/event-stream",
    "data: {}\n\n",
    /^a stream instead of an answer$/,
  ],
];

for (const [title, type, body, message] of BROKEN)
  test(`${title} is an error that says so`, async (t) => {
    await assert.rejects(answerFrom(await agentThatAnswers(t, type, body, 502)), { message });
  });

test("nobody there is an error that says so", async (t) => {
  const url = await remote(t, () => (request) => request.socket.destroy());
  await assert.rejects(fetchCard({ url, headers: {} }), /^RemoteError: no answer from http/);
});

test("a missing card is an error that names its address", async (t) => {
  const url = await remote(t, () => (_request, response) => {
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await assert.rejects(fetchCard({ url, headers: {} }), {
    message: `no agent card at ${url}/.well-known/agent-card.json: HTTP 404`,
  });
});

test("why there is no card is told where the answer says so", async (t) => {
  const url = await remote(t, () => (_, response) => {
    response.writeHead(400).end('{"error":{"message":"this port speaks TLS: use https"}}');
  });
  const { code, stderr } = await command(["card", url]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: no agent card at .*: HTTP 400, this port speaks TLS: use https\n$/);
});

test("the card is asked for, and every call made, in version 1.0", async (t) => {
  const versions: unknown[] = [];
  const url = await remote(t, (own) => (request, response) => {
    versions.push(request.headers["a2a-version"]);
    const door = { url: own, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
    const card = { supportedInterfaces: [door], capabilities: {}, result: { id: "t", status: {} } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(card));
  });
  await answerFrom(url);
  assert.deepEqual(versions, ["1.0", "1.0"]);
});

test("a connection that is closed at once is an error that says so, with exit code 1", async (t) => {
  const url = await listening(
    t,
    createTcpServer((socket) => socket.end()),
  );
  for (const args of [["card"], ["tasks", "list"]]) {
    const { code, stderr } = await command([...args, url]);
    assert.equal(code, 1);
    assert.match(stderr, /^error: no answer from http\S+: .+\n$/);
  }
});

test("an answer that takes too long is an error that names the option, with exit code 1", async (t) => {
  const url = await remote(t, () => () => {});
  const { code, stderr } = await command(["card", url, "--timeout", "50ms"]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: no answer from http\S+: it took too long \(--timeout\)\n$/);
});

test("an answer that breaks off is an error that says so", async (t) => {
  const url = await remote(t, () => (request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("{", () => request.socket.destroy());
  });
  await assert.rejects(fetchCard({ url, headers: {} }), /^RemoteError: the answer broke off: /);
});

for (const state of ["FAILED", "REJECTED", "CANCELED"])
  for (const flags of [[], ["--stream"]])
    test(`send ${flags.join("")} ends with 1 when the task was ${state.toLowerCase()}`, async (t) => {
      const task = { id: "t", contextId: "c", status: { state: `TASK_STATE_${state}` } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { task } });
      const url = flags.length
        ? await agentThatAnswers(t, "text/event-stream", `data: ${body}\n\n`)
        : await agentThatAnswers(t, "application/json", body);
      const { code, stdout, stderr } = await command(["send", url, "x", ...flags]);
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`^task t  ${state.toLowerCase()}\n`));
      assert.equal(stderr, `error: the task was ${state.toLowerCase()}\n`);
    });

test("text parts of an artifact are shown as the one text that they are", async (t) => {
  const texts = ["a\nb", "c", "d\n"].map((text) => ({ text }));
  const parts = [...texts.slice(0, 2), { data: 1 }, ...texts.slice(2)];
  const task = {
    id: "t",
    contextId: "c",
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ artifactId: "a", parts }],
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { task } });
  const { stdout } = await command([
    "send",
    await agentThatAnswers(t, "application/json", body),
    "x",
  ]);
  assert.match(stdout, /\nartifact a\na\nbc\n1\nd\n\n?$/);
});

test("tasks watch shows a task that has ended", async (t) => {
  const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
  const data = [{ reason: "UNSUPPORTED_OPERATION" }];
  const url = await remote(t, (own) => async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const door = { url: own, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(
        JSON.stringify(
          request.method === "GET"
            ? { name: "Remote", supportedInterfaces: [door], capabilities: {} }
            : body.includes("GetTask")
              ? { jsonrpc: "2.0", id: 1, result: task }
              : { jsonrpc: "2.0", id: 1, error: { code: -32004, message: "it has ended", data } },
        ),
      );
  });
  assert.deepEqual(await command(["tasks", "watch", url, "t"]), {
    code: 0,
    stdout: "task t  completed\ncontext c\n",
    stderr: "",
  });
});
