/** What every HTTP answer says, whichever part of the gateway gives it. */
import assert from "node:assert/strict";
import { connect as connectPlain, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createAuthority, NO_OPENSSL, type Authority } from "../support/certificates.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { artifact, completed, ScriptedHandler, says } from "../support/scripted-handler.ts";

const OPS_TOKEN = "the-token-of-operators";

interface Exchange {
  readonly title: string;
  readonly request: string;
  readonly status: number;
  /** `ops`: on the operations port. */
  readonly at?: "ops";
}

function get(path: string, ...headers: readonly string[]): string {
  return asked(`GET ${path}`, headers);
}

function post(path: string, body: string, ...headers: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return asked(`POST ${path}`, ["Content-Type: application/json", length, ...headers]) + body;
}

function asked(line: string, headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, "Host: gateway.example", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;
}

const KEY = "X-Key: 0123456789abcdef0123456789abcdef";
const MESSAGE = '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}';
const CARD = "/a2a/agent/.well-known/agent-card.json";

function rpc(method: string, params = "{}"): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

const EXCHANGES: readonly Exchange[] = [
  { title: "a card", request: get(CARD), status: 200 },
  { title: "a card that the caller has", request: get(CARD, "If-None-Match: *"), status: 304 },
  {
    title: "a card that is not there",
    request: get("/a2a/no/.well-known/agent-card.json"),
    status: 404,
  },
  { title: "a card that is posted", request: post(CARD, "{}"), status: 405 },
  { title: "a key set", request: get("/.well-known/jwks.json"), status: 404 },
  { title: "the catalogue", request: get("/a2a", KEY), status: 200 },
  {
    title: "the catalogue that the caller has",
    request: get("/a2a", KEY, "If-None-Match: *"),
    status: 304,
  },
  { title: "the catalogue for nobody", request: get("/a2a"), status: 401 },
  { title: "a strange question to the catalogue", request: get("/a2a?x=1", KEY), status: 400 },
  {
    title: "a preflight",
    request: asked("OPTIONS /a2a/agent", ["Origin: https://app.example"]),
    status: 204,
  },
  {
    title: "a preflight of a card",
    request: asked(`OPTIONS ${CARD}`, ["Origin: https://app.example"]),
    status: 204,
  },
  { title: "JSON-RPC", request: post("/a2a/agent", rpc("SendMessage", MESSAGE), KEY), status: 200 },
  { title: "an error of JSON-RPC", request: post("/a2a/agent", rpc("Nothing"), KEY), status: 200 },
  { title: "JSON-RPC of nobody", request: post("/a2a/agent", rpc("ListTasks")), status: 401 },
  { title: "JSON-RPC that is read", request: get("/a2a/agent", KEY), status: 405 },
  {
    title: "a stream of JSON-RPC",
    request: post("/", rpc("SendStreamingMessage", MESSAGE), KEY),
    status: 200,
  },
  {
    title: "a stream that is refused, as a stream",
    request: post("/", rpc("tasks/resubscribe", '{"id":"no"}'), KEY),
    status: 200,
  },
  { title: "HTTP+JSON", request: get("/tasks", KEY), status: 200 },
  { title: "HTTP+JSON 0.3", request: get("/v1/tasks/no", KEY), status: 404 },
  { title: "a stream of HTTP+JSON", request: post("/message:stream", MESSAGE, KEY), status: 200 },
  { title: "a task that is not there", request: get("/tasks/no", KEY), status: 404 },
  { title: "a path that is not there", request: get("/nothing/at/all"), status: 404 },
  { title: "a path that is not encoded", request: get("/%zz"), status: 400 },
  {
    title: "a body that is too large",
    request: post("/message:send", `"${"x".repeat(5000)}"`, KEY),
    status: 413,
  },
  {
    title: "a body of another kind",
    request: `${asked("POST /message:send", [KEY, "Content-Type: text/html", "Content-Length: 1"])}x`,
    status: 415,
  },
  { title: "what is no HTTP", request: "GET / HTTP/1.1\r\nno header\r\n\r\n", status: 400 },
  {
    title: "headers that are too large",
    request: get("/", `X-Large: ${"x".repeat(40_000)}`),
    status: 431,
  },
  {
    title: "a request without a host",
    request: "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    status: 400,
  },
  { title: "a strange expectation", request: get("/", "Expect: a miracle"), status: 417 },
  { title: "liveness", request: get("/healthz"), status: 200, at: "ops" },
  { title: "readiness", request: get("/readyz"), status: 200, at: "ops" },
  { title: "nothing of operators'", request: get("/nothing"), status: 404, at: "ops" },
  { title: "health that is posted", request: post("/healthz", "{}"), status: 405, at: "ops" },
  {
    title: "the agents",
    request: get("/admin/agents", `Authorization: Bearer ${OPS_TOKEN}`),
    status: 200,
    at: "ops",
  },
  { title: "the agents for nobody", request: get("/admin/agents"), status: 401, at: "ops" },
  {
    title: "no such admin path",
    request: get("/admin/no", `Authorization: Bearer ${OPS_TOKEN}`),
    status: 404,
    at: "ops",
  },
  { title: "what is no HTTP to operators", request: "no\r\n\r\n", status: 400, at: "ops" },
  {
    title: "operators without a host",
    request: "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
    status: 400,
    at: "ops",
  },
];

const SETTINGS = {
  access: {
    mode: "required",
    authenticators: [
      {
        apiKey: {
          in: "header",
          name: "X-Key",
          // Of 0123456789abcdef0123456789abcdef.
          keys: [
            {
              hash: "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9",
              principal: { id: "alice" },
            },
          ],
        },
      },
    ],
  },
  cors: { origins: ["https://app.example"] },
  limits: { messageBytes: "4KB" },
};

for (const isSecure of [false, true])
  describe(isSecure ? "over TLS" : "in the clear", { skip: isSecure && NO_OPENSSL }, () => {
    let gateway: RunningGateway;
    let authority: Authority | undefined;
    before(async () => {
      authority = isSecure ? await createAuthority() : undefined;
      const pair = await authority?.server();
      const tls = pair && { tls: { ...pair, hsts: "1d" } };
      gateway = await runGateway({
        agents: { agent: { handler: new ScriptedHandler(says(artifact("done"), completed)) } },
        settings: {
          ...SETTINGS,
          ...tls,
          ops: { listen: "127.0.0.1:0", token: OPS_TOKEN, ...tls },
        },
      });
    });
    after(async () => {
      await gateway.stop();
      await authority?.remove();
    });

    const answerTo = async (port: number, request: string): Promise<string> => {
      const socket: Socket = isSecure
        ? connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false })
        : connectPlain({ host: "127.0.0.1", port });
      socket.write(request);
      return (await socket.setEncoding("utf8").toArray()).join("");
    };

    for (const { title, request, status, at } of EXCHANGES)
      test(`${title} is safe`, async () => {
        const port = at === "ops" ? Number(new URL(gateway.opsUrl).port) : gateway.port;
        const headers = headersIn(await answerTo(port, request), status);
        checkSafe(headers);
        const hsts = isSecure ? "max-age=86400" : undefined;
        assert.equal(headers.get("strict-transport-security"), hsts);
      });

    if (isSecure)
      test("what is said in the clear at such a port is answered safely, without HSTS", async () => {
        const socket = connectPlain({ host: "127.0.0.1", port: gateway.port });
        socket.write(get("/"));
        const headers = headersIn((await socket.setEncoding("utf8").toArray()).join(""), 400);
        checkSafe(headers);
        assert.equal(headers.get("strict-transport-security"), undefined);
      });

    test("pages of allowed origins read every answer of the doors, errors and streams included", async () => {
      for (const { title, request, at } of EXCHANGES) {
        if (at === "ops" || !request.includes("Host:") || /a strange exp|headers that/.test(title))
          continue;
        const answer = await answerTo(
          gateway.port,
          request.includes("Origin:")
            ? request
            : request.replace("Host:", "Origin: https://app.example\r\nHost:"),
        );
        const allowed = headersIn(answer).get("access-control-allow-origin");
        assert.ok(allowed === "*" || allowed === "https://app.example", title);
      }
    });
  });

function headersIn(answer: string, status?: number): ReadonlyMap<string, string> {
  const [head = ""] = answer.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  if (status !== undefined) assert.match(line, new RegExp(`^HTTP/1.1 ${status} `));
  return new Map(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
}

function checkSafe(headers: ReadonlyMap<string, string>): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(
    headers.get("content-security-policy"),
    "default-src 'none'; frame-ancestors 'none'",
  );
  if (!headers.has("access-control-max-age")) assert.ok(headers.has("cache-control"));
  assert.equal(headers.get("x-powered-by"), undefined);
}
