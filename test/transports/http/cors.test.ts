import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendHttp, type HttpAnswer } from "../../support/http-client.ts";
import { scriptedService, ScriptedStream, statusItem } from "../../support/scripted-service.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const ORIGIN = "https://app.example";

describe("cross-origin access", () => {
  const started: Transports[] = [];
  const service = scriptedService({
    subscribeToTask: () => new ScriptedStream().push(statusItem(1)).end(),
  });
  const withOrigins = async (...allowedOrigins: string[]): Promise<number> => {
    const transports = await startTransports(service, { allowedOrigins });
    started.push(transports);
    return transports.port;
  };
  let closed = 0;
  let listed = 0;
  let open = 0;
  before(async () => {
    [closed, listed, open] = [
      await withOrigins(),
      await withOrigins(ORIGIN),
      await withOrigins("*"),
    ];
  });
  after(() => Promise.all(started.map((transports) => transports.stop())));

  const preflight = (port: number, path: string): Promise<HttpAnswer> =>
    sendHttp(port, {
      method: "OPTIONS",
      path,
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "a2a-version",
      },
    });

  for (const [path, methods] of [
    ["/", "POST, OPTIONS"],
    ["/a2a/x", "POST, OPTIONS"],
    ["/message:send", "POST, OPTIONS"],
    ["/tasks/t1", "GET, HEAD, OPTIONS"],
    ["/v1/tasks/t1:cancel", "POST, OPTIONS"],
    ["/x/tasks/t1:subscribe", "GET, POST, HEAD, OPTIONS"],
    ["/tasks/t1/pushNotificationConfigs/c", "GET, DELETE, HEAD, OPTIONS"],
    ["/nothing", "GET, POST, DELETE, OPTIONS"],
    ["/tasks/%", "GET, POST, DELETE, OPTIONS"],
  ] as const)
    test(`answers the preflight of ${path} with its methods and the headers of A2A`, async () => {
      const { status, headers, text } = await preflight(listed, path);
      assert.equal(status, 204);
      assert.equal(text, "");
      assert.equal(headers["access-control-allow-origin"], ORIGIN);
      const named = String(headers["access-control-allow-methods"]);
      assert.deepEqual(named.split(", ").toSorted(), methods.split(", ").toSorted());
      assert.equal(headers["allow"], named);
      for (const name of [
        "A2A-Version",
        "A2A-Extensions",
        "Authorization",
        "Content-Type",
        "Last-Event-ID",
      ])
        assert(String(headers["access-control-allow-headers"]).includes(name));
    });

  test("lets pages send the headers that callers are known by", async () => {
    const transports = await startTransports(service, {
      allowedOrigins: [ORIGIN],
      keyHeaders: ["X-Team-Key"],
    });
    started.push(transports);
    for (const path of ["/", "/message:send"]) {
      const { headers } = await preflight(transports.port, path);
      assert.match(String(headers["access-control-allow-headers"]), /Authorization.*, X-Team-Key$/);
    }
  });

  const paths = [
    ["an error", "/nothing", 404],
    ["a stream", "/tasks/t1:subscribe", 200],
    ["a method that is not allowed", "/", 405],
  ] as const;
  for (const [name, path, status] of paths)
    test(`marks ${name} for a listed origin`, async () => {
      const answer = await sendHttp(listed, { path, headers: { origin: ORIGIN } });
      assert.equal(answer.status, status);
      assert.equal(answer.headers["access-control-allow-origin"], ORIGIN);
      assert.equal(answer.headers["access-control-allow-credentials"], "true");
      assert.match(String(answer.headers["vary"]), /Origin/);
    });

  test("marks nothing for an origin that is not listed", async () => {
    const { headers } = await sendHttp(listed, { headers: { origin: "https://evil.example" } });
    assert.equal(headers["access-control-allow-origin"], undefined);
    assert.match(String(headers["vary"]), /Origin/);
  });

  test("lets every origin in without credentials where all are allowed", async () => {
    const { headers } = await sendHttp(open, { headers: { origin: ORIGIN } });
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.equal(headers["access-control-allow-credentials"], undefined);
  });

  test("lets no origin in where none is allowed", async () => {
    const { status, headers } = await preflight(closed, "/");
    assert.equal(status, 204);
    assert.equal(headers["access-control-allow-origin"], undefined);
  });

  const post = (
    port: number,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer> => {
    const params = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } };
    const body = path === "/" ? { jsonrpc: "2.0", id: 1, method: "SendMessage", params } : params;
    return sendHttp(port, { method: "POST", path, headers, body: JSON.stringify(body) });
  };
  const heard = (): number => service.received.length;

  for (const path of ["/", "/message:send", "/message:stream"])
    test(`hands no agent what a page of another site sends to ${path} unasked`, async () => {
      const before = heard();
      const foreign = [
        { origin: "https://evil.example", host: "gateway.example" },
        { origin: "null", host: "gateway.example" },
        { origin: "http://gateway.example", host: "gateway.example:8080" },
        { origin: ORIGIN, "sec-fetch-site": "cross-site" },
        { origin: ORIGIN, "sec-fetch-site": "same-site" },
      ];
      for (const headers of foreign) {
        const { status, text } = await post(closed, path, headers);
        assert.equal(status, 403, JSON.stringify(headers));
        assert.match(text, /may not call agents/);
      }
      assert.equal(heard(), before);
    });

  test("takes what the gateway's own pages, allowed ones and other callers send", async () => {
    const own = { origin: "http://gateway.example:8080", host: "gateway.example:8080" };
    const before = heard();
    for (const [port, headers] of [
      [closed, own],
      [closed, { origin: ORIGIN, "sec-fetch-site": "same-origin" }],
      [closed, { origin: ORIGIN, "content-type": "application/json" }],
      [closed, {}],
      [listed, { origin: ORIGIN, "sec-fetch-site": "cross-site" }],
      [open, { origin: "https://other.example" }],
    ] as const) {
      const { text } = await post(port, "/message:send", headers);
      assert.match(text, /no script for sendMessage/);
    }
    assert.equal(heard(), before + 6);
  });
});
