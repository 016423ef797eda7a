/** A gateway whose listeners speak TLS, called by clients that check its certificate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFile, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { Agent, fetch, type Response } from "undici";
import { fetchCard } from "../../src/cli/client/card.ts";
import { connect, type Client } from "../../src/cli/client/client.ts";
import { grpcDoor } from "../../src/cli/client/grpc.ts";
import type { ProtocolBinding } from "../../src/protocol/agent-card.ts";
import { createAuthority, NO_OPENSSL, type Authority, type Pair } from "../support/certificates.ts";
import { runGateway, type GatewaySetup, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { artifact, completed, Puppet, ScriptedHandler, says } from "../support/scripted-handler.ts";
import { adminOf } from "./admin.ts";
import { messageOf } from "./requests.ts";

const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

describe("a gateway with TLS", { skip: NO_OPENSSL }, () => {
  let authority: Authority;
  let ca: string;
  let files: Pair;
  let trusting: Agent;
  const handler = new ScriptedHandler(says(artifact("done"), completed));

  before(async () => {
    authority = await createAuthority();
    ca = await readFile(authority.ca, "utf8");
    files = await authority.server();
    trusting = new Agent({ connect: { ca } });
  });
  after(async () => {
    await trusting.close();
    await authority.remove();
  });

  const start = async (
    t: TestContext,
    settings: object,
    agents: GatewaySetup["agents"] = {},
  ): Promise<RunningGateway> => {
    const gateway = await runGateway({ agents: { agent: { handler }, ...agents }, settings });
    t.after(() => gateway.stop());
    return gateway;
  };
  const client = async (
    t: TestContext,
    port: number,
    binding: ProtocolBinding,
    own: Partial<Pair> = {},
  ): Promise<Client> => {
    const url = `https://127.0.0.1:${port}`;
    const opened = await connect({ url, binding, headers: {}, tls: { ca, ...own } });
    t.after(() => opened.close());
    return opened;
  };
  const ask = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { dispatcher: trusting, headers });
  const fingerprintAt = async (port: number): Promise<string> => {
    const socket = connectTls({ host: "127.0.0.1", port, ca });
    await new Promise((resolve, reject) => socket.on("secureConnect", resolve).on("error", reject));
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const artifactsOf = async (opened: Client): Promise<readonly unknown[]> => {
    const kinds: unknown[] = [];
    for await (const event of opened.stream("sendStreamingMessage", messageOf("hi")))
      kinds.push(...Object.keys(event));
    return kinds;
  };

  test("answers calls and streams on all bindings at one port, as its card says", async (t) => {
    const { port } = await start(t, { tls: files });
    const { card } = await fetchCard({
      url: `https://127.0.0.1:${port}`,
      headers: {},
      tls: { ca },
    });
    const urls = card.supportedInterfaces.map(({ url }) => url);
    const root = `https://127.0.0.1:${port}/a2a/agent`;
    assert.deepEqual(new Set(urls), new Set([root, `127.0.0.1:${port}`]));
    for (const binding of BINDINGS) {
      const opened = await client(t, port, binding);
      const answer = await opened.call("sendMessage", messageOf("hi"));
      assert.equal("task" in answer && answer.task.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(await artifactsOf(opened), ["task", "artifactUpdate", "statusUpdate"]);
    }
  });

  test("is found out by clients that do not trust its authority", async (t) => {
    const { port } = await start(t, { tls: files });
    const url = `https://127.0.0.1:${port}`;
    await assert.rejects(connect({ url, headers: {} }), /certificate/);
  });

  test("says to HTTP in the clear what the port speaks, and writes its cards with https", async (t) => {
    const { port } = await start(t, { tls: files, allowedHosts: [`localhost:9`] });
    const answer = await sendHttp(port, { path: "/" });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /this port speaks TLS/);
    const path = "/.well-known/agent-card.json";
    const headers = { host: "localhost:9" };
    const outgoing = request({ host: "127.0.0.1", port, path, ca, headers, agent: false }).end();
    const [card] = (await once(outgoing, "response")) as [IncomingMessage];
    const text = (await card.setEncoding("utf8").toArray()).join("");
    assert.equal(JSON.parse(text).url, "https://localhost:9/a2a/agent");
  });

  test("keeps browsers to TLS where it is told to, and lets nobody guess types or keep answers", async (t) => {
    const gateway = await start(t, {
      tls: { ...files, hsts: "1d" },
      ops: { listen: "127.0.0.1:0", tls: files },
    });
    const url = `https://127.0.0.1:${gateway.port}`;
    const headersOf = async (path: string): Promise<readonly (string | null)[]> => {
      const { headers } = await ask(url + path);
      const names = ["strict-transport-security", "x-content-type-options", "cache-control"];
      return names.map((name) => headers.get(name));
    };
    assert.deepEqual(await headersOf("/tasks/none"), ["max-age=86400", "nosniff", "no-store"]);
    assert.deepEqual(await headersOf("/tasks"), ["max-age=86400", "nosniff", "no-store"]);
    const [hsts, nosniff, caching] = await headersOf("/.well-known/agent-card.json");
    assert.deepEqual([hsts, nosniff, caching], ["max-age=86400", "nosniff", "public, max-age=300"]);
    const health = await ask(gateway.opsUrl.replace("http:", "https:") + "/healthz");
    assert.equal(health.headers.get("strict-transport-security"), null);
    assert.equal(health.headers.get("x-content-type-options"), "nosniff");
  });

  test("has TLS on the port for gRPC alone, which speaks HTTP/2 and nothing else", async (t) => {
    const grpcPort = await freePort();
    const { port } = await start(t, { tls: files, grpcListen: `127.0.0.1:${grpcPort}` });
    const door = (url: string) =>
      grpcDoor({
        interface: { url, protocolBinding: "GRPC", protocolVersion: "1.0" },
        headers: {},
        isSecure: true,
        tls: { ca },
      });
    for (const each of [port, grpcPort]) {
      const opened = door(`127.0.0.1:${each}`);
      assert.ok(await opened.call("sendMessage", messageOf("hi")));
      opened.close();
    }
    await assert.rejects(ask(`https://127.0.0.1:${grpcPort}/`), (thrown: Error) =>
      /application protocol|alert number 120/.test(String(thrown.cause)),
    );
  });

  test("has TLS on the ports of agents, with their own certificates where they have any", async (t) => {
    const own = await authority.server("own");
    const settings = { static: { otherwise: { message: "hi" } }, port: 0 };
    const { port, ownPorts } = await start(
      t,
      { tls: files },
      { alone: { settings }, other: { settings: { ...settings, tls: own } } },
    );
    const shared = await fingerprintAt(port);
    assert.equal(await fingerprintAt(ownPorts.get("alone") ?? 0), shared);
    const other = ownPorts.get("other") ?? 0;
    assert.notEqual(await fingerprintAt(other), shared);
    for (const binding of BINDINGS)
      assert.ok(await (await client(t, other, binding)).call("sendMessage", messageOf("hi")));
  });

  test("may have TLS on an agent's port alone", async (t) => {
    const settings = { static: { otherwise: { message: "hi" } }, port: 0, tls: files };
    const { port, ownPorts } = await start(t, {}, { own: { settings } });
    const card = await sendHttp(port, { path: "/a2a/own/.well-known/agent-card.json" });
    const own = `https://127.0.0.1:${ownPorts.get("own")}`;
    assert.equal(JSON.parse(card.text).supportedInterfaces[0].url, own);
    assert.equal((await ask(`${own}/.well-known/agent-card.json`)).status, 200);
  });

  test("refuses another certificate for an agent's port while that is open", async (t) => {
    const settings = {
      static: { otherwise: { message: "hi" } },
      port: await freePort(),
      tls: files,
    };
    const gateway = await start(t, {}, { own: { settings } });
    const { tls: _, ...plain } = settings;
    const changed = gateway.reload({ agents: { agent: { handler }, own: { settings: plain } } });
    await assert.rejects(changed, /the tls of .* changes only with/);
    const own = `https://127.0.0.1:${settings.port}`;
    assert.equal((await ask(`${own}/.well-known/agent-card.json`)).status, 200);
  });

  test("lets in at the operations port who speaks TLS, and pages of the port itself", async (t) => {
    const gateway = await start(t, { ops: { listen: "127.0.0.1:0", tls: files } });
    const url = gateway.opsUrl.replace("http:", "https:");
    assert.equal((await ask(`${url}/healthz`)).status, 200);
    assert.equal((await ask(`${url}/admin/agents`)).status, 200);
    assert.equal((await ask(`${url}/admin/agents`, { origin: url })).status, 200);
    assert.equal((await ask(`${url}/admin/agents`, { origin: gateway.opsUrl })).status, 403);
    const port = Number(new URL(url).port);
    assert.equal((await sendHttp(port, { path: "/healthz" })).status, 400);
    // The doors are as they were.
    assert.equal((await sendHttp(gateway.port, { path: "/tasks" })).status, 200);
  });

  test("takes for an added agent's port only certificates below the folder of the configuration", async (t) => {
    const gateway = await start(t, { ops: { listen: "127.0.0.1:0" } });
    const admin = adminOf(gateway.opsUrl);
    const agent = { name: "b", description: "b", static: {}, port: 0 };
    const tls = { cert: "../server.pem", key: files.key, clientCa: "/etc/ca.pem" };
    const outside = "expected a path below the folder of the configuration";
    assert.deepEqual((await admin.refused("PUT", "/agents/b", { ...agent, tls })).problems, [
      `tls.cert: ${outside}`,
      `tls.key: ${outside}`,
      `tls.clientCa: ${outside}`,
    ]);
    const below = { cert: "none.pem", key: "none.key" };
    const { problems } = await admin.refused("PUT", "/agents/b", { ...agent, tls: below });
    assert.match(problems.join(), /agents\.b\.tls\.cert: .*none\.pem: no such file/);
    assert.equal(gateway.ownPorts.size, 0);
  });

  test("lets in callers with a certificate of its authority, and no others", async (t) => {
    const { port } = await start(t, { tls: { ...files, clientCa: authority.ca } });
    const caller = await authority.issue("caller", "/CN=caller", "DNS:caller");
    const own = {
      cert: await readFile(caller.cert, "utf8"),
      key: await readFile(caller.key, "utf8"),
    };
    for (const binding of BINDINGS)
      assert.ok(await (await client(t, port, binding, own)).call("sendMessage", messageOf("hi")));
    await assert.rejects(ask(`https://127.0.0.1:${port}/tasks`));
  });

  test("takes a renewed certificate for new connections, and streams go on", async (t) => {
    const used = {
      cert: join(authority.folder, "renewed.pem"),
      key: join(authority.folder, "renewed.key"),
    };
    await copyFile(files.cert, used.cert);
    await copyFile(files.key, used.key);
    const { port } = await start(t, { tls: used });
    const puppets = BINDINGS.map(() => new Puppet());
    const streams = [];
    for (const [index, binding] of BINDINGS.entries()) {
      const puppet = puppets[index] ?? assert.fail();
      handler.script = puppet.script;
      puppet.say(artifact("before"));
      const opened = await client(t, port, binding);
      const stream = opened.stream("sendStreamingMessage", messageOf("hi"));
      const events = stream[Symbol.asyncIterator]();
      await events.next();
      await events.next();
      streams.push(events);
    }
    handler.script = says(completed);
    const before = await fingerprintAt(port);
    const next = await authority.server("next");
    await copyFile(next.key, used.key);
    await copyFile(next.cert, used.cert);
    for (let tries = 0; (await fingerprintAt(port)) === before; tries++) {
      assert.ok(tries < 200, "it was not renewed");
      await setTimeout(50);
    }
    for (const [index, events] of streams.entries()) {
      puppets[index]?.say(artifact("after"), completed);
      puppets[index]?.end();
      const { value } = (await events.next()) as { value: object };
      assert.deepEqual(Object.keys(value), ["artifactUpdate"]);
      await events.return?.(undefined);
    }
  });

  test("does not start with a key that is not the certificate's", async () => {
    const { key } = await authority.server("another");
    for (const [settings, path] of [
      [{ tls: { ...files, key } }, "tls.key"],
      [{ ops: { listen: "127.0.0.1:0", tls: { ...files, key } } }, "ops.tls.key"],
      [{ tls: { ...files, cert: "none.pem" } }, "tls.cert"],
    ] as const)
      await assert.rejects(
        runGateway({ agents: { agent: { handler } }, settings }),
        (thrown: Error) => thrown.message.includes(`: ${path}: `),
      );
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
