import assert from "node:assert/strict";
import { test } from "node:test";
import { createOps } from "../../../src/ops/server.ts";
import { sendHttp } from "../../support/http-client.ts";
import { exchangeBytes } from "../../support/raw-socket.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { errorIn, startAdmin } from "../support/admin-client.ts";

const TOKEN = "s3cret-token";
const WITH_TOKEN = { access: { token: TOKEN, isLoopback: false, callers: undefined } };

test("with a token, whoever does not have it learns nothing", async (t) => {
  const { call } = await startAdmin(t, WITH_TOKEN);
  const wrong = [
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${TOKEN}x`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer x ${TOKEN}`,
  ];
  for (const authorization of [undefined, ...wrong])
    for (const path of ["/admin/agents", "/admin/nothing", "/admin", "/admin/%zz"]) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await call("GET", path, { headers });
      assert.equal(answer.status, 401, `${authorization} ${path}`);
      assert.equal(answer.headers["www-authenticate"], 'Bearer realm="a2a-gateway"');
      assert.deepEqual(errorIn(answer), {
        code: "UNAUTHENTICATED",
        message: "the operations token is needed",
      });
    }
});

test("with a token, whoever has it is let in under any host", async (t) => {
  const { call } = await startAdmin(t, WITH_TOKEN);
  for (const scheme of ["Bearer", "bearer", "BEARER "]) {
    const headers = { authorization: `${scheme} ${TOKEN}`, host: "ops.example" };
    assert.equal((await call("GET", "/admin/agents", { headers })).status, 200);
    assert.equal((await call("POST", "/admin/reload", { headers })).status, 200);
  }
});

test("with a token, a body is not read before the token was seen", async (t) => {
  const { call } = await startAdmin(t, WITH_TOKEN);
  const headers = { "content-type": "text/plain" };
  assert.equal((await call("PUT", "/admin/agents/news", { headers, body: "{" })).status, 401);
});

test("without a token, a port that others reach is closed and says what to set", async (t) => {
  const { call } = await startAdmin(t, {
    access: { token: undefined, isLoopback: false, callers: undefined },
  });
  for (const headers of [{}, { authorization: "Bearer undefined" }, { host: "127.0.0.1" }]) {
    const answer = await call("GET", "/admin/agents", { headers });
    assert.equal(answer.status, 403);
    assert.equal(errorIn(answer).code, "FORBIDDEN");
    assert.match(errorIn(answer).message ?? "", /^ops\.token must be set/);
  }
});

test("on loopback, addresses and localhost are hosts, names are not", async (t) => {
  const { call, port } = await startAdmin(t);
  const ours = [
    "127.0.0.1",
    `127.0.0.1:${port}`,
    "localhost",
    `LOCALHOST:${port}`,
    "[::1]",
    `[::1]:${port}`,
    "10.0.0.1",
  ];
  for (const host of ours)
    assert.equal((await call("GET", "/admin/agents", { headers: { host } })).status, 200, host);
  const others = [
    "evil.example",
    `evil.example:${port}`,
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.localhost",
    "a@127.0.0.1",
    "[evil]",
    "127.0.0.1:80:80",
    "2130706433",
  ];
  for (const host of others) {
    const answer = await call("GET", "/admin/agents", { headers: { host } });
    assert.equal(answer.status, 403, host);
    assert.match(errorIn(answer).message ?? "", /^host .* is not ours$/);
  }
});

test("on loopback, a request that names no host is refused", async (t) => {
  const { port } = await startAdmin(t);
  const { answers } = await exchangeBytes(port, ["GET /admin/agents HTTP/1.0\r\n\r\n"]);
  assert.equal(answers[0]?.status, 403);
});

test("on loopback, a page of another origin is refused, whatever it asks for", async (t) => {
  const { call, port } = await startAdmin(t);
  const host = `localhost:${port}`;
  const others = [
    "http://evil.example",
    "null",
    `http://localhost:${port + 1}`,
    `https://${host}`,
    "http://localhost",
    `http://127.0.0.1:${port}`,
    "",
  ];
  for (const origin of others)
    for (const [method, path] of [
      ["GET", "/admin/agents"],
      ["POST", "/admin/reload"],
      ["OPTIONS", "/admin/reload"],
      ["GET", "/admin/nothing"],
    ] as const) {
      const answer = await call(method, path, { headers: { host, origin } });
      assert.equal(answer.status, 403, `${method} ${path} ${origin}`);
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
    }
});

test("on loopback, a page of the port itself is let in", async (t) => {
  const { call, port } = await startAdmin(t);
  const host = `localhost:${port}`;
  const headers = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
  assert.equal((await call("POST", "/admin/reload", { headers })).status, 200);
  const typed = { host, "sec-fetch-site": "none" };
  assert.equal((await call("GET", "/admin/agents", { headers: typed })).status, 200);
});

test("on loopback, what another site has a browser fetch is refused", async (t) => {
  const { call } = await startAdmin(t);
  for (const site of ["cross-site", "same-site"]) {
    const headers = { "sec-fetch-site": site };
    assert.equal((await call("GET", "/admin/agents", { headers })).status, 403, site);
  }
});

test("health is open to everybody, whatever the access", async (t) => {
  for (const access of [
    { token: TOKEN, isLoopback: true, callers: undefined },
    { token: undefined, isLoopback: false, callers: undefined },
    { token: undefined, isLoopback: true, callers: undefined },
  ]) {
    const { call } = await startAdmin(t, { access });
    const headers = { host: "gateway.example", origin: "http://evil.example" };
    for (const path of ["/healthz", "/readyz"])
      assert.equal((await call("GET", path, { headers })).status, 200, path);
  }
});

test("no spelling of the path leads around the check", async (t) => {
  const { call } = await startAdmin(t, WITH_TOKEN);
  for (const path of [
    "/ADMIN/agents",
    "/%61dmin/agents",
    "//admin/agents",
    "/./admin/agents",
    "/healthz/../admin/agents",
    "http://127.0.0.1/admin/agents",
    "/admin;/agents",
  ]) {
    const { status } = await call("GET", path);
    assert.ok(status === 404 || status === 401, `${path}: ${status}`);
  }
});

test("without ports there is no Admin API", async (t) => {
  const ready = async () => ({ draining: false });
  const ops = createOps({ ready, log: new RecordedLog(), admin: undefined });
  const { port } = await ops.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => ops.close());
  assert.equal((await sendHttp(port, { path: "/admin/agents" })).status, 404);
  assert.equal((await sendHttp(port, { path: "/healthz" })).status, 200);
});
