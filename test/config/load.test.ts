import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { unknownVariables } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { loadConfig, parseConfig } from "../../src/config/load.ts";

const TEN_LINES = `listen: 127.0.0.1:8081
database: ./gateway.db
agents:
  echo:
    name: Echo
    description: Says it back
    static:
      otherwise: { message: "{{text}}" }
`;

test("ten lines make a whole configuration", () => {
  const config = parseConfig(TEN_LINES, "/etc/a2a/config.yaml", {});
  assert.deepEqual(config.listen, { host: "127.0.0.1", port: 8081 });
  assert.equal(config.primary, "echo");
  assert.deepEqual(config.agents["echo"]?.handler, {
    kind: "static",
    otherwise: { message: "{{text}}" },
  });
});

test("what is left out has its default", () => {
  const read = parseConfig(TEN_LINES, "/etc/a2a/config.yaml", {});
  const { agents, baseDir, whereOf, definitionOf, ...config } = read;
  assert.equal(baseDir, "/etc/a2a");
  assert.match(whereOf(["agents"], "key"), /^\/etc\/a2a\/config\.yaml:\d+:1$/);
  assert.equal(definitionOf("echo")["name"], "Echo");
  assert.deepEqual(config, {
    listen: { host: "127.0.0.1", port: 8081 },
    database: "/etc/a2a/gateway.db",
    primary: "echo",
    ops: { listen: { host: "127.0.0.1", port: 9090 } },
    log: { level: "info", requests: true },
    limits: {
      messageBytes: 4_194_304,
      runningTasks: 10_000,
      turns: { running: undefined, perPrincipal: undefined, queue: 1_000, wait: 30_000 },
      connections: {
        total: 25_000,
        perAddress: 12_500,
        headTimeout: 15_000,
        requestTimeout: 60_000,
        idleTimeout: 75_000,
        headBytes: 32_768,
        streams: 1_000,
        controlFrames: 1_000,
      },
      quota: { tasks: undefined, bytes: undefined },
      streamBuffer: 20_000,
      pageSize: 50,
      calls: { except: [] },
    },
    sse: { heartbeat: 15_000 },
    stop: { grace: 10_000 },
    retention: { entries: 86_400_000, finished: undefined, unfinished: undefined },
    cors: { origins: [] },
    cards: { maxAge: 300_000, unversioned: "hybrid", signing: [] },
    push: {
      allowHttp: false,
      allowPrivate: false,
      allow: [],
      attempts: 8,
      backoff: { first: 1_000, most: 300_000, retryAfter: 3_600_000 },
      timeout: 10_000,
      concurrency: 64,
      configsPerTask: 100,
      encryptionKeys: [],
    },
    access: { mode: "off", anonymous: "isolated", authenticators: [], policies: [] },
    v03: { grpcBlockingDefault: true, grpcScheme: false },
    trustedProxies: [],
    allowedHosts: [],
  });
  const { handler, ...echo } = agents["echo"] ?? assert.fail();
  assert.equal(handler.kind, "static");
  assert.deepEqual(echo, {
    name: "Echo",
    description: "Says it back",
    streaming: true,
    forwardHeaders: [],
    turnTimeout: 3_600_000,
    cancelGrace: 10_000,
    onRestart: "fail",
    sharing: "none",
    push: { events: "default" },
    idempotencyWindow: 0,
    v03: ["JSONRPC", "HTTP+JSON", "GRPC"],
    preferredBinding: "JSONRPC",
  });
});

test("without a file there is an echo agent on a database in the working directory", async () => {
  const config = await loadConfig(undefined, {});
  assert.deepEqual(Object.keys(config.agents), ["echo"]);
  assert.equal(config.database, resolve("a2a-gateway.db"));
  assert.equal(config.baseDir, process.cwd());
});

test("the first agent is the primary one unless another is named", () => {
  const agents = `agents:
  one: { name: One, description: "", static: {} }
  two: { name: Two, description: "", static: {} }
`;
  assert.equal(parseConfig(agents, "c.yaml", {}).primary, "one");
  assert.equal(parseConfig(`primary: two\n${agents}`, "c.yaml", {}).primary, "two");
});

test("the first agent is the first in the file, also beside one whose id is a number", () => {
  const agent = '{ name: N, description: "", static: {} }';
  const first = (agents: string) => parseConfig(agents, "c.yaml", {}).primary;
  assert.equal(first(`agents:\n  one: ${agent}\n  127: ${agent}\n`), "one");
  assert.equal(first(`agents:\n  127: ${agent}\n  1: ${agent}\n`), "127");
  assert.equal(first(`agents: { <<: { two: ${agent}, 1: ${agent} } }\n`), "two");
});

test("a database in memory keeps its name", () => {
  const text = TEN_LINES.replace("./gateway.db", '":memory:"');
  assert.equal(parseConfig(text, "c.yaml", {}).database, ":memory:");
});

test("the environment wins over the file", () => {
  const config = parseConfig(TEN_LINES, "/etc/a2a/config.yaml", {
    A2A_GATEWAY_LISTEN: "0.0.0.0:1",
    A2A_GATEWAY_GRPC_LISTEN: "0.0.0.0:2",
    A2A_GATEWAY_OPS_LISTEN: "off",
    A2A_GATEWAY_PUBLIC_URL: "https://agents.example.com/",
    A2A_GATEWAY_DATABASE: "other.db",
    A2A_GATEWAY_LOG_LEVEL: "debug",
    A2A_GATEWAY_LOG_REQUESTS: "false",
  });
  assert.deepEqual(config.listen, { host: "0.0.0.0", port: 1 });
  assert.deepEqual(config.grpcListen, { host: "0.0.0.0", port: 2 });
  assert.equal(config.ops.listen, undefined);
  assert.equal(config.publicUrl, "https://agents.example.com");
  assert.equal(config.database, resolve("other.db"));
  assert.deepEqual(config.log, { level: "debug", requests: false });
});

test("a variable that an orchestrator sets for a service of our name changes nothing", () => {
  const env = { A2A_GATEWAY_PORT: "tcp://10.0.0.1:8080", A2A_GATEWAY_LISTEN: "" };
  assert.equal(parseConfig(TEN_LINES, "c.yaml", env).listen.port, 8081);
});

test("a variable that looks like a setting and is none is told", () => {
  assert.deepEqual(
    unknownVariables({
      A2A_GATEWAY_LISTN: "127.0.0.1:1",
      A2A_GATEWAY_LISTEN: "127.0.0.1:1",
      A2A_GATEWAY_ADMIN: "http://127.0.0.1:9090",
      A2A_GATEWAY_ADMIN_TOKEN: "x",
      A2A_GATEWAY_PORT: "tcp://10.0.0.1:8080",
      A2A_GATEWAY_PORT_8080_TCP_ADDR: "10.0.0.1",
      A2A_GATEWAY_SERVICE_HOST: "10.0.0.1",
      A2A_GATEWAY_SERVICE_PORT_HTTP: "8080",
      A2A_OTHER: "",
    }),
    ["A2A_GATEWAY_LISTN"],
  );
});

test("a file is read as UTF-8 and its folder is where paths start", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "a2a-config-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "config.yaml"), TEN_LINES);
  await writeFile(join(folder, "latin1.yaml"), Buffer.from([0x61, 0xe4, 0x0a]));

  const config = await loadConfig(join(folder, "config.yaml"), {});
  assert.equal(config.database, join(folder, "gateway.db"));
  await assert.rejects(
    loadConfig(join(folder, "latin1.yaml"), {}),
    /latin1\.yaml: not UTF-8 text$/,
  );
  await assert.rejects(loadConfig(join(folder, "none.yaml"), {}), (thrown: unknown) => {
    assert.ok(thrown instanceof ConfigError);
    assert.match(thrown.message, /none\.yaml: no such file$/);
    return true;
  });
});
