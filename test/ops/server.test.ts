import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import type { Log } from "../../src/core/ports/log.ts";
import { createLog } from "../../src/log.ts";
import type { Readiness } from "../../src/ops/health.ts";
import { createOps } from "../../src/ops/server.ts";
import { RecordedLog } from "../support/recorded-log.ts";

async function opsUrl(
  t: TestContext,
  ready: () => Promise<Readiness>,
  log: Log = createLog("silent"),
): Promise<string> {
  const ops = createOps({ ready, log, admin: undefined });
  const { host, port } = await ops.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => ops.close());
  return `http://${host}:${port}`;
}

const READY = async (): Promise<Readiness> => ({ draining: false });

test("healthz answers 200 as long as the process runs", async (t) => {
  const url = await opsUrl(t, async () => assert.fail("not asked"));
  const response = await fetch(`${url}/healthz`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(await response.json(), { status: "up" });
});

test("readyz answers 200 when the database answers", async (t) => {
  const response = await fetch(`${await opsUrl(t, READY)}/readyz?verbose`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    status: "ready",
    checks: { database: "up", draining: false },
  });
});

test("readyz answers 503 while the gateway drains", async (t) => {
  const url = await opsUrl(t, async () => ({ draining: true }));
  const response = await fetch(`${url}/readyz`);
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), {
    status: "not ready",
    checks: { database: "up", draining: true },
  });
});

test("readyz answers 503 when the database does not, without saying why", async (t) => {
  const log = new RecordedLog();
  const fail = async () => {
    throw new Error("SQLITE_IOERR: /secret/path");
  };
  const response = await fetch(`${await opsUrl(t, fail, log)}/readyz`);
  assert.match(String(log.lines[0]?.fields["err"]), /SQLITE_IOERR/);
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), {
    status: "not ready",
    checks: { database: "down", draining: false },
  });
});

test("readyz answers 503 when the database takes too long", async (t) => {
  const url = await opsUrl(t, () => new Promise(() => {}));
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
});

test("an answer that cannot be written is logged, and the next one is given", async (t) => {
  const log = new RecordedLog();
  const ops = createOps({ ready: async () => ({ draining: 1n as never }), log, admin: undefined });
  const { host, port } = await ops.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => ops.close());
  await assert.rejects(fetch(`http://${host}:${port}/readyz`));
  assert.ok(log.errors[0]?.fields["err"] instanceof TypeError);
  assert.equal((await fetch(`http://${host}:${port}/healthz`)).status, 200);
});

test("HEAD is answered like GET, without a body", async (t) => {
  const response = await fetch(`${await opsUrl(t, READY)}/readyz`, { method: "HEAD" });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "");
});

test("another method is 405 and another path 404, in JSON", async (t) => {
  const url = await opsUrl(t, READY);
  const post = await fetch(`${url}/healthz`, { method: "POST" });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get("allow"), "GET, HEAD");
  for (const path of ["/", "/nothing", "/__proto__", "/constructor"]) {
    const response = await fetch(url + path);
    assert.equal(response.status, 404, path);
    assert.ok((await response.json()) instanceof Object);
  }
});

test("a connection that is one too many is closed", async (t) => {
  const answers = [false, true];
  const connections = {
    admit(connection: Socket): boolean {
      const isAdmitted = answers.shift() ?? false;
      if (!isAdmitted) connection.destroy();
      return isAdmitted;
    },
  };
  const ops = createOps({ ready: READY, log: createLog("silent"), admin: undefined, connections });
  const { port } = await ops.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => ops.close());
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
});

test("an address in use is an error", async (t) => {
  const url = new URL(await opsUrl(t, READY));
  const second = createOps({ ready: READY, log: createLog("silent"), admin: undefined });
  await assert.rejects(second.listen({ host: "127.0.0.1", port: Number(url.port) }), {
    code: "EADDRINUSE",
  });
  await second.close();
});
