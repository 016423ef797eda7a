/**
 * Secrets of every kind, used well and badly, at a gateway that logs all it can: none of them is in its output, its audit,
 * its errors or the views of operators. Whatever the gateway calls repeats what it was sent, in errors too.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ISSUER, AUDIENCE, newSigningKey, tokenOf } from "../access/support/tokens.ts";
import { cheapHash } from "../access/support/passwords.ts";
import { sendHttp, type HttpAnswer, type HttpRequest } from "../support/http-client.ts";
import { accessDoors, type AccessDoor, type Headers } from "./access-doors.ts";
import { asking } from "./access-asking.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

function secret(what: string): string {
  return `${what}-${randomBytes(24).toString("hex")}`;
}

/** By what they are for; those that begin with `wrong` are good nowhere. */
const SECRETS = {
  headerKey: secret("headerkey"),
  queryKey: secret("querykey"),
  cookieKey: secret("cookiekey"),
  wrongKey: secret("wrongkey"),
  password: secret("password"),
  wrongPassword: secret("wrongpassword"),
  opaqueToken: secret("opaquetoken"),
  wrongToken: secret("wrongtoken"),
  introspection: secret("introspection"),
  opsToken: secret("opstoken"),
  wrongOpsToken: secret("wrongopstoken"),
  upstreamBearer: secret("upstreambearer"),
  upstreamPassword: secret("upstreampassword"),
  upstreamKey: secret("upstreamkey"),
  oauthSecret: secret("oauthsecret"),
  wrongOauthSecret: secret("wrongoauthsecret"),
  handlerHeader: secret("handlerheader"),
  environment: secret("environment"),
  hookToken: secret("hooktoken"),
  hookCredentials: secret("hookcredentials"),
  hookPath: secret("hookpath"),
  addedBearer: secret("addedbearer"),
  encryptionKey: randomBytes(32).toString("hex"),
};
/** And those that come up on the way. */
const made = new Set<string>();

let folder: string;
let log: string;
let audit: string;
let child: ChildProcess;
let port: number;
let ops: number;
let doors: readonly AccessDoor[];
let echo: ReturnType<typeof createServer>;
const answers: string[] = [];

/** Says back all that it is told, and fails at that; but it lets tokens in that it knows. */
function repeat(request: IncomingMessage, response: ServerResponse): void {
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    const all = JSON.stringify({ error: "no", headers: request.headers, url: request.url, body });
    if (request.url === "/introspect" && body.includes(SECRETS.opaqueToken))
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"active":true,"sub":"carol"}');
    else if (request.url === "/introspect-broken") response.writeHead(500).end(all);
    else if (request.url === "/introspect")
      response.writeHead(200, { "content-type": "application/json" }).end('{"active":false}');
    else if (request.url?.endsWith("agent-card.json"))
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(cardAt(request)));
    else
      response
        .writeHead(500, { "content-type": "text/plain", "www-authenticate": all.slice(0, 900) })
        .end(all);
  });
}

function cardAt({ headers }: IncomingMessage): object {
  return {
    name: "Echo",
    description: "",
    version: "1",
    supportedInterfaces: [
      { url: `http://${headers.host}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "a2a-secrets-"));
  [log, audit] = [join(folder, "log"), join(folder, "audit.log")];
  echo = createServer(repeat).listen(0, "127.0.0.1");
  await once(echo, "listening");
  const far = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  const signing = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const pem = signing.export({ type: "pkcs8", format: "pem" }).toString();
  const [, line = ""] = pem.split("\n");
  made.add(line);
  writeFileSync(join(folder, "signing.pem"), pem);
  writeFileSync(join(folder, "introspection"), SECRETS.introspection);
  const issuer = await newSigningKey("one");
  writeFileSync(join(folder, "jwks.json"), JSON.stringify({ keys: [issuer.jwk] }));
  const key = (place: string, name: string, value: string) => ({
    apiKey: { in: place, name, keys: [{ hash: hashOf(value), principal: { id: `by-${place}` } }] },
  });
  const remote = (auth: object) => ({
    name: "Remote",
    description: "",
    upstream: { url: far, auth },
  });
  const oauth2 = (clientSecret: string) => ({
    oauth2: { tokenUrl: `${far}/token`, clientId: "us", clientSecret },
  });
  const config = {
    listen: "127.0.0.1:0",
    database: "gateway.db",
    log: { level: "debug" },
    audit: { file: "audit.log" },
    ops: { listen: "127.0.0.1:0", token: SECRETS.opsToken },
    cards: { signing: [{ file: "signing.pem", kid: "k" }] },
    push: {
      allowHttp: true,
      allowPrivate: true,
      attempts: 2,
      backoff: { first: "1ms", most: "2ms" },
      encryptionKeys: [SECRETS.encryptionKey],
      signing: { file: "signing.pem", kid: "h" },
    },
    access: {
      mode: "required",
      authenticators: [
        key("header", "X-Api-Key", SECRETS.headerKey),
        key("query", "key", SECRETS.queryKey),
        key("cookie", "key", SECRETS.cookieKey),
        { basic: { users: [{ username: "alice", hash: cheapHash(SECRETS.password) }] } },
        { jwt: { issuer: ISSUER, audience: AUDIENCE, jwks: "./jwks.json", tenant: "issued" } },
        {
          introspection: {
            url: `${far}/introspect`,
            clientId: "us",
            clientSecret: { file: "introspection" },
            audience: false,
            tenant: "opaque",
          },
        },
      ],
    },
    agents: {
      local: { name: "Local", description: "", static: { otherwise: { message: "hi" } } },
      waiting: {
        name: "Tasks",
        description: "",
        static: { otherwise: { script: [{ status: "input-required", message: "what?" }] } },
      },
      bearer: remote({ bearer: SECRETS.upstreamBearer }),
      basic: remote({ basic: { username: "us", password: SECRETS.upstreamPassword } }),
      key: remote({ apiKey: { name: "X-Up", value: SECRETS.upstreamKey } }),
      oauth: remote(oauth2(SECRETS.oauthSecret)),
      oauth2: remote(oauth2(SECRETS.wrongOauthSecret)),
      http: {
        name: "Http",
        description: "",
        http: {
          url: `${far}/http`,
          headers: { Authorization: SECRETS.handlerHeader, "X-Env": "${SECRET_HEADER}" },
        },
      },
    },
  };
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const output = openSync(log, "a");
  child = spawn(process.execPath, ["--import", TSX, MAIN, "serve", "config.yaml"], {
    cwd: folder,
    env: { ...process.env, SECRET_HEADER: SECRETS.environment },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const ready = await lineOf("ready");
  [port, ops] = [ready["url"], ready["ops"]].map((url) => Number(new URL(String(url)).port)) as [
    number,
    number,
  ];
  doors = ["local", "waiting", "bearer", "basic", "key", "oauth", "oauth2", "http"].flatMap(
    (agent) => accessDoors({ port }, agent, `/a2a/${agent}`),
  );
  const other = await newSigningKey("one");
  for (const token of [await tokenOf(issuer, {}), await tokenOf(other, {})]) {
    // The last part is what lets somebody in.
    made.add(token.split(".").at(-1) ?? "");
    tokens.push(token);
  }
});
const tokens: string[] = [];

after(async () => {
  for (const door of doors) door.close();
  child.kill("SIGKILL");
  echo.closeAllConnections();
  echo.close();
  await once(child, "close");
  rmSync(folder, { recursive: true });
});

async function lineOf(message: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const lines = readFileSync(log, "utf8")
      .split("\n")
      .filter((each) => each.startsWith("{") && each.endsWith("}"));
    const found = lines
      .map((each) => JSON.parse(each) as Record<string, unknown>)
      .find(({ msg }) => msg === message);
    if (found) return found;
    if (child.exitCode !== null) throw new Error(readFileSync(log, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function kept({ status, headers, text }: HttpAnswer): HttpAnswer {
  answers.push(`${status} ${JSON.stringify(headers)} ${text}`);
  return { status, headers, text };
}

function basicOf(name: string, password: string): string {
  const encoded = Buffer.from(`${name}:${password}`).toString("base64");
  made.add(encoded);
  return `Basic ${encoded}`;
}

async function admin(
  method: string,
  path: string,
  body?: object,
  token = SECRETS.opsToken,
): Promise<HttpAnswer> {
  const text = body && JSON.stringify(body);
  return sendHttp(ops, {
    method,
    path: `/admin${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(text && { "content-type": "application/json" }),
    },
    ...(text !== undefined && { body: text }),
  });
}

/** What callers bring: good, and not. */
function credentials(): readonly Headers[] {
  const [good = "", forged = ""] = tokens;
  return [
    { "x-api-key": SECRETS.headerKey },
    { "x-api-key": SECRETS.wrongKey },
    { cookie: `key=${SECRETS.cookieKey}` },
    { cookie: `key=${SECRETS.wrongKey}` },
    { authorization: basicOf("alice", SECRETS.password) },
    { authorization: basicOf("alice", SECRETS.wrongPassword) },
    { authorization: `Bearer ${good}` },
    { authorization: `Bearer ${forged}` },
    { authorization: `Bearer ${SECRETS.opaqueToken}` },
    { authorization: `Bearer ${SECRETS.wrongToken}` },
    { authorization: SECRETS.wrongToken },
    { authorization: `ApiKey ${SECRETS.headerKey}` },
  ];
}

test("callers come with every kind of credentials, to every door", async () => {
  // Before so many wrong ones close the door.
  for (const key of [SECRETS.queryKey, SECRETS.wrongKey])
    for (const path of ["/tasks", "/a2a", "/nothing", "/tasks/%zz", "/a2a/local"]) {
      const { status } = kept(await sendHttp(port, { path: `${path}?key=${key}` }));
      if (path === "/tasks") assert.equal(status, key === SECRETS.queryKey ? 200 : 401);
    }
  let allowed = 0;
  for (const headers of credentials())
    for (const door of doors.slice(0, 12))
      for (const operation of ["sendMessage", "sendStreamingMessage", "getTask"] as const)
        for (const way of door.ways.get(operation) ?? []) {
          const answer = await way(
            asking({ task: operation === "getTask" ? "none" : "" }),
            headers,
          );
          if (answer.verdict === "allowed") allowed++;
          answers.push(JSON.stringify(answer));
        }
  assert.ok(allowed > 50, `${allowed}`);
});

test("remote agents repeat what the gateway signs in with, in errors", async () => {
  const headers = { "x-api-key": SECRETS.headerKey };
  for (const door of doors.slice(12)) {
    for (const operation of ["sendMessage", "sendStreamingMessage"] as const)
      for (const way of door.ways.get(operation) ?? []) {
        const { verdict, ...answer } = await way(asking(), headers);
        answers.push(verdict, JSON.stringify(answer));
      }
  }
});

test("a webhook has its secrets, fails with them, and operators look at it", async () => {
  const far = (echo.address() as AddressInfo).port;
  const hook = {
    url: `http://127.0.0.1:${far}/hook?${SECRETS.hookPath}`,
    token: SECRETS.hookToken,
    authentication: { scheme: "Bearer", credentials: SECRETS.hookCredentials },
  };
  const send = (extra: object): Promise<HttpAnswer> =>
    sendHttp(port, {
      method: "POST",
      path: "/a2a/waiting/message:send",
      headers: { "content-type": "application/json", "x-api-key": SECRETS.headerKey },
      body: JSON.stringify({
        message: { messageId: `m-${Math.random()}`, role: "ROLE_USER", parts: [{ text: "hi" }] },
        configuration: { taskPushNotificationConfig: { ...hook, ...extra } },
      }),
    });
  const begun = kept(await send({}));
  assert.equal(begun.status, 200, begun.text);
  kept(await send({ url: "http://[", id: "bad" }));
  kept(
    await send({ authentication: { scheme: "no scheme", credentials: SECRETS.hookCredentials } }),
  );
  kept(await send({ token: `${SECRETS.hookToken}\r\nX-Injected: 1` }));
  for (;;) {
    const { text } = kept(await admin("GET", "/deliveries?state=dead"));
    if (text.includes('"deliveries":[{')) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  kept(await admin("POST", "/deliveries/redrive", {}));
});

test("operators look at everything, add an agent with secrets, and err", async () => {
  const agent = (more: object) => ({
    name: "Added",
    description: "",
    upstream: { url: "http://127.0.0.1:9", auth: { bearer: SECRETS.addedBearer }, ...more },
  });
  assert.equal(kept(await admin("PUT", "/agents/added", agent({}))).status, 201);
  assert.equal(
    kept(await admin("PUT", "/agents/wrong", agent({ auth: { bearer: [SECRETS.addedBearer] } })))
      .status,
    400,
  );
  kept(
    await admin("PUT", "/agents/wrong", agent({ auth: { bearer: `${SECRETS.addedBearer}\n` } })),
  );
  kept(await admin("PUT", "/agents/wrong", { ...agent({}), [SECRETS.addedBearer.slice(0, 5)]: 1 }));
  const issued = await admin("POST", "/keys", { principal: { id: "dave" } });
  const { key, id } = JSON.parse(issued.text) as { key: string; id: string };
  made.add(key);
  for (const _ of [1, 2]) {
    kept(await sendHttp(port, { path: "/tasks", headers: { "x-api-key": key } }));
    kept(await admin("DELETE", `/keys/${id}`));
  }
  const { text } = kept(await admin("GET", "/tasks"));
  const tasks = (JSON.parse(text) as { tasks: readonly { id: string }[] }).tasks.slice(0, 3);
  const agents = ["local", "bearer", "basic", "key", "oauth", "oauth2", "http", "added"];
  for (const path of [
    "/agents",
    "/upstreams",
    "/keys",
    "/deliveries",
    "/deliveries/counts",
    "/openapi.json",
    "/nothing",
    ...agents.map((agent) => `/agents/${agent}`),
    ...tasks.flatMap((task) => [`/tasks/${task.id}`, `/tasks/${task.id}/events`]),
  ])
    kept(await admin("GET", path));
  kept(await admin("POST", "/reload"));
  for (const path of ["/agents", "/keys", "/nothing"])
    assert.equal(kept(await admin("GET", path, undefined, SECRETS.wrongOpsToken)).status, 401);
  kept(await sendHttp(ops, { path: `/admin/agents?token=${SECRETS.wrongOpsToken}` }));
  kept(
    await sendHttp(ops, {
      path: "/readyz",
      headers: { authorization: `Bearer ${SECRETS.opsToken}` },
    }),
  );
});

test("cards, the catalogue and key sets are read", async () => {
  const asked: readonly HttpRequest[] = [
    { path: "/.well-known/agent-card.json" },
    { path: "/a2a/bearer/.well-known/agent-card.json" },
    { path: "/.well-known/jwks.json" },
    { path: "/a2a", headers: { "x-api-key": SECRETS.headerKey } },
  ];
  for (const each of asked) assert.equal(kept(await sendHttp(port, each)).status, 200);
});

test("no secret has been told to anybody", async () => {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
  const written = {
    log: readFileSync(log, "utf8"),
    audit: readFileSync(audit, "utf8"),
    answers: answers.join("\n"),
  };
  assert.match(written.log, /"level":"debug"/);
  assert.match(written.log, /credentials refused/);
  assert.match(written.audit, /"audit":"authentication"/);
  assert.ok(answers.length > 300);
  const every = [
    ...Object.entries(SECRETS),
    ...[...made].map((text) => ["made on the way", text] as const),
  ];
  for (const [where, text] of Object.entries(written))
    for (const [name, value] of every)
      for (const form of [
        value,
        Buffer.from(value).toString("base64").replace(/=+$/, "").slice(0, -2),
      ]) {
        assert.ok(form.length > 16);
        const at = text.indexOf(form);
        assert.equal(
          at,
          -1,
          `${name} is in the ${where}: ${text.slice(Math.max(0, at - 300), at + 100)}`,
        );
      }
});
