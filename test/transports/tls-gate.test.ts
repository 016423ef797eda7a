import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { after, afterEach, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import { createTlsGate, type TlsGateOptions } from "../../src/transports/tls-gate.ts";
import { createAuthority, NO_OPENSSL, textsOf, type Authority } from "../support/certificates.ts";
import { scriptedService } from "../support/scripted-service.ts";
import { startTransports, type Transports } from "../support/transports.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_COMPLETED" } } as const;
const GET = "GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\n";

describe("the TLS gate", { skip: NO_OPENSSL }, () => {
  let authority: Authority;
  let ca: string;
  let texts: { cert: string; key: string };
  let transports: Transports;
  const told: string[] = [];

  before(async () => {
    authority = await createAuthority();
    ca = await readFile(authority.ca, "utf8");
    texts = await textsOf(await authority.server());
  });
  after(() => authority.remove());
  afterEach(async () => {
    await transports.stop();
    told.length = 0;
  });

  type Settings = Partial<Omit<TlsGateOptions, "certificate">> & { openTimeoutMs?: number };
  const start = async ({ openTimeoutMs, ...settings }: Settings = {}): Promise<number> => {
    const certificate = { current: { ...texts, ca }, close: () => undefined };
    transports = await startTransports(scriptedService({ getTask: async () => TASK }), {
      ...(openTimeoutMs !== undefined && { limits: { headTimeout: openTimeoutMs } }),
      gate: (protocols, secured) => {
        return createTlsGate({
          certificate,
          minVersion: "TLSv1.2",
          clientCertificates: "off",
          protocols,
          secured,
          log: { debug: (_, message) => void told.push(message) },
          ...settings,
        });
      },
    });
    return transports.port;
  };
  /** A handshake that is done. */
  const encrypted = async (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({ host: "127.0.0.1", port, ca, ...options });
    await once(socket, "secureConnect");
    return socket.setEncoding("latin1");
  };
  const plain = async (port: number): Promise<Socket> => {
    const socket = connectTcp(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  };
  const until = async (socket: Socket, pattern: RegExp): Promise<string> => {
    let text = "";
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (pattern.test(text)) break;
    }
    return text;
  };
  const isOpen = async (port: number): Promise<void> => {
    const socket = await encrypted(port, { ALPNProtocols: ["http/1.1"] });
    socket.write(GET);
    assert.match(await until(socket, /"t1"/), /^HTTP\/1\.1 200 /);
    socket.destroy();
  };

  for (const [offered, agreed] of [
    [["http/1.1"], "http/1.1"],
    [["h2", "http/1.1"], "http/1.1"],
    [["h2"], "h2"],
    [["grpc-exp", "h2"], "h2"],
  ] as const)
    test(`agrees on ${agreed} with a client that offers ${offered.join(" and ")}`, async () => {
      const socket = await encrypted(await start(), { ALPNProtocols: [...offered] });
      assert.equal(socket.alpnProtocol, agreed);
      socket.destroy();
    });

  test("refuses a client that offers nothing that is spoken here", async () => {
    const port = await start();
    const attempt = encrypted(port, { ALPNProtocols: ["acme-tls/1"] });
    await assert.rejects(attempt, /no application protocol|alert number 120/);
    await isOpen(port);
  });

  test("takes an HTTP/1.1 request of a client that offers nothing", async () => {
    const socket = await encrypted(await start());
    assert.equal(socket.alpnProtocol, false);
    socket.write(GET);
    assert.match(await until(socket, /"t1"/), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("takes HTTP/2 of a client that offers nothing and just begins", async () => {
    const port = await start();
    const socket = await encrypted(port);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => socket });
    const stream = session.request({ ":method": "POST", ":path": "/x", te: "trailers" });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    // Only gRPC answers here: this is no content type of it.
    assert.equal(headers[":status"], 415);
    session.destroy();
  });

  test("takes no HTTP/2 of a client that agreed on HTTP/1.1", async () => {
    const socket = await encrypted(await start(), { ALPNProtocols: ["http/1.1"] });
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert.match(await until(socket, /\}\}/), /^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test("keeps a connection for several requests", async () => {
    const socket = await encrypted(await start());
    socket.write(GET + GET);
    assert.equal((await until(socket, /"t1".*"t1"/s)).match(/HTTP\/1\.1 200/g)?.length, 2);
    socket.destroy();
  });

  test("speaks TLS 1.2 and 1.3, each with a fresh key", async () => {
    const port = await start();
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await encrypted(port, { minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      assert.match(String(Reflect.get(socket.getEphemeralKeyInfo() ?? {}, "type")), /ECDH/);
      socket.destroy();
    }
  });

  test("refuses TLS 1.1, and ciphers without a fresh key", async () => {
    const port = await start();
    const older = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" };
    await assert.rejects(encrypted(port, older as ConnectionOptions), /alert|version|EPROTO/);
    const static12 = { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" } as const;
    await assert.rejects(encrypted(port, static12), /handshake failure|alert/);
    await isOpen(port);
  });

  test("refuses TLS 1.2 where 1.3 is the least", async () => {
    const port = await start({ minVersion: "TLSv1.3" });
    await assert.rejects(encrypted(port, { maxVersion: "TLSv1.2" }), /alert|version/);
    await isOpen(port);
  });

  test("refuses a client that asks for new keys in the middle of a TLS 1.2 connection", async () => {
    const socket = await encrypted(await start(), { maxVersion: "TLSv1.2" });
    const refused = once(socket, "error").then(([error]) => error as Error);
    assert.equal(
      socket.renegotiate({}, (error) => error && socket.emit("error", error)),
      true,
    );
    assert.match(String(await refused), /no renegotiation|alert/);
    socket.destroy();
  });

  test("answers HTTP in the clear with 400 and what the port speaks", async () => {
    const port = await start();
    for (const bytes of [GET, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "POST / HTTP/1.1\r\n"]) {
      const socket = await plain(port);
      socket.write(bytes);
      const text = await until(socket, /never/);
      assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.equal(
        JSON.parse(text.slice(text.indexOf("{"))).error.message,
        "this port speaks TLS: use https",
      );
      socket.destroy();
    }
    await isOpen(port);
  });

  for (const [name, bytes] of [
    ["of no kind", Buffer.from([0, 1, 2, 3])],
    ["that begin like a handshake", Buffer.from([22, 3, 1, 0, 4, 1, 2, 3, 4])],
    ["of a record that is too large", Buffer.from([22, 3, 1, 255, 255, 1, 2, 3, 4])],
    ["of an alert", Buffer.from([21, 3, 3, 0, 2, 2, 40])],
  ] as const)
    test(`drops bytes ${name}`, async () => {
      const port = await start();
      const socket = await plain(port);
      socket.write(bytes);
      await until(socket, /never/);
      socket.destroy();
      await isOpen(port);
    });

  test("survives clients that leave at any point of the handshake", async () => {
    const port = await start();
    (await plain(port)).end();
    (await plain(port)).resetAndDestroy();
    const half = await plain(port);
    half.write(Buffer.from([22, 3, 1, 2, 0, 1]), () => half.resetAndDestroy());
    const ended = await plain(port);
    ended.end(Buffer.from([22, 3, 1, 2, 0, 1]));
    const hasty = connect({ host: "127.0.0.1", port, ca });
    hasty.on("error", () => undefined).on("connect", () => hasty.destroy());
    (await encrypted(port)).destroy();
    await isOpen(port);
  });

  test("drops a client that says nothing, and one that stops inside the handshake", async () => {
    const port = await start({ timeoutMs: 100 });
    const silent = await plain(port);
    const stopped = await plain(port);
    stopped.write(Buffer.from([22, 3, 1, 2, 0, 1]));
    await until(silent, /never/);
    await until(stopped, /never/);
    await isOpen(port);
  });

  test("drops a client that is encrypted and then says nothing", async () => {
    const socket = await encrypted(await start({ openTimeoutMs: 50 }));
    assert.equal(await until(socket, /never/), "");
  });

  test("takes a handshake that comes byte by byte", async () => {
    const port = await start();
    const raw = await plain(port);
    raw.setNoDelay(true);
    const drip = async (bytes: Buffer): Promise<void> => {
      for (const byte of bytes) {
        raw.write(Buffer.from([byte]));
        await setImmediate();
      }
    };
    const dripping = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _, done) => callbackify(drip)(bytes, done),
    });
    raw.on("data", (chunk) => dripping.push(chunk));
    const socket = connect({ socket: dripping, ca, host: "127.0.0.1" });
    await once(socket, "secureConnect");
    socket.write(GET);
    assert.match(await until(socket.setEncoding("latin1"), /"t1"/), /^HTTP\/1\.1 200 /);
    socket.destroy();
    raw.destroy();
  });

  test("bounds the handshakes that wait, and lets others in", async () => {
    const port = await start();
    const sockets: Socket[] = [];
    let closed = 0;
    for (let count = 0; count < 1100; count += 100) {
      const more = await Promise.all(Array.from({ length: 100 }, () => plain(port)));
      for (const socket of more) {
        socket.write(Buffer.from([22, 3, 1]));
        socket.on("close", () => closed++).resume();
      }
      sockets.push(...more);
    }
    while (closed < 100) await setImmediate();
    // Those that are slow make room, as soon as they are.
    const letIn = (): Promise<boolean> =>
      encrypted(port).then(
        (socket) => socket.destroy() === socket,
        () => false,
      );
    while (!(await letIn()));
    for (const socket of sockets) socket.destroy();
  });

  test("drops what is not encrypted yet when the listener stops", async () => {
    const port = await start();
    const socket = await plain(port);
    socket.write(Buffer.from([22, 3, 1]));
    const idle = await plain(port);
    await isOpen(port);
    await transports.stop(10_000);
    await until(socket, /never/);
    await until(idle, /never/);
  });

  test("drops what is encrypted and idle when the listener stops, whatever it agreed on", async () => {
    const port = await start();
    const idle = [["h2"], ["http/1.1"]].map((offered) =>
      encrypted(port, { ALPNProtocols: offered }),
    );
    const sockets = await Promise.all(idle);
    sockets.push(await encrypted(port));
    const stopped = transports.stop(50_000);
    for (const socket of sockets) await until(socket, /never/);
    await stopped;
  });

  const asked = (port: number, options: ConnectionOptions): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port, path: "/tasks/t1", ca, agent: false, ...options },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      outgoing.on("error", reject).end();
    });

  test("asks for no certificate, for one that may be missing, or for one that may not", async () => {
    const known = await textsOf(await authority.issue("caller", "/CN=caller", "DNS:caller"));
    const others = await createAuthority();
    const stranger = await textsOf(await others.issue("caller", "/CN=caller", "DNS:caller"));
    await others.remove();
    for (const [clientCertificates, ofNone, ofKnown, ofStranger] of [
      ["off", 200, 200, 200],
      ["optional", 200, 200, 200],
      ["required", "refused", 200, "refused"],
    ] as const) {
      const port = await start({ clientCertificates });
      for (const [options, answer] of [
        [{}, ofNone],
        [known, ofKnown],
        [stranger, ofStranger],
      ] as const)
        if (answer === "refused") await assert.rejects(asked(port, options));
        else assert.equal(await asked(port, options), answer);
      const isTold = told.includes("a caller's certificate is not trusted");
      assert.equal(isTold, clientCertificates === "optional");
      told.length = 0;
      if (clientCertificates !== "required") await transports.stop();
    }
  });

  test("resumes a session by its ticket", async () => {
    const port = await start();
    const first = connect({ host: "127.0.0.1", port, ca });
    const [session] = (await once(first, "session")) as [Buffer];
    first.destroy();
    const second = await encrypted(port, { session });
    assert.equal(second.isSessionReused(), true);
    second.destroy();
  });

  test("agrees with openssl", async () => {
    const port = await start();
    for (const [offered, agreed] of [
      ["h2", "h2"],
      ["h2,http/1.1", "http/1.1"],
      ["http/1.1", "http/1.1"],
    ] as const) {
      const said = await sClient(port, ["-alpn", offered]);
      assert.match(said, new RegExp(`ALPN protocol: ${agreed}\n`));
      assert.match(said, /Verify return code: 0 \(ok\)/);
    }
    assert.match(await sClient(port, []), /No ALPN negotiated/);
    assert.match(await sClient(port, ["-tls1_1"]), /Cipher is \(NONE\)/);
  });

  const sClient = (port: number, options: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const to = ["-connect", `127.0.0.1:${port}`, "-CAfile", authority.ca];
      const child = execFile("openssl", ["s_client", ...to, ...options], (_, stdout) =>
        resolve(stdout),
      );
      child.stdin?.on("error", () => undefined).end();
    });
});
