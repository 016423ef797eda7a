import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CancelTaskRequest, GetTaskRequest } from "../../../src/protocol/model.ts";
import {
  scriptedService,
  ScriptedStream,
  statusItem,
  type ScriptedService,
} from "../../support/scripted-service.ts";
import { sendHttp, type HttpAnswer, type HttpRequest } from "../../support/http-client.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const task = (id: string) => ({ id, status: { state: "TASK_STATE_CANCELED" } }) as const;

describe("the REST door", () => {
  let service: ScriptedService;
  let transports: Transports;

  before(async () => {
    service = scriptedService({
      getTask: async ({ id }: GetTaskRequest) => task(id),
      cancelTask: async ({ id }: CancelTaskRequest) => task(id),
      listTasks: async () => ({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
      subscribeToTask: () => new ScriptedStream().push(statusItem(1)).end(),
    });
    transports = await startTransports(service, { maxBytes: 10_000 });
  });
  after(() => transports.stop());

  const send = (asked: HttpRequest): Promise<HttpAnswer> => sendHttp(transports.port, asked);
  const errorOf = async (asked: HttpRequest): Promise<{ status: number; code: number }> => {
    const { status, headers, text } = await send(asked);
    assert.equal(headers["content-type"], "application/json");
    return { status, code: JSON.parse(text).error.code };
  };

  test("answers with application/json and a length", async () => {
    const { status, headers, text } = await send({ path: "/tasks/t1" });
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["content-length"], String(text.length));
  });

  const bodies: readonly [name: string, request: HttpRequest][] = [
    ["no body and no content type", {}],
    ["an empty body", { headers: { "content-type": "application/json", "content-length": "0" } }],
    ["the body null", { headers: { "content-type": "application/json" }, body: "null" }],
    ["the body {}", { headers: { "content-type": "application/json" }, body: "{}" }],
    ["a content type alone", { headers: { "content-type": "application/a2a+json" } }],
  ];
  for (const [name, asked] of bodies)
    test(`cancels with ${name}`, async () => {
      const { text } = await send({ method: "POST", path: "/tasks/t1:cancel", ...asked });
      assert.equal(JSON.parse(text).id, "t1");
    });

  test("passes the metadata of a body on", async () => {
    const body = '{"metadata":{"k":1}}';
    await send({ method: "POST", path: "/tasks/t1:cancel", body });
    const { request } = service.received.at(-1) as { request: CancelTaskRequest };
    assert.deepEqual(request.metadata, { k: 1 });
  });

  test("refuses a body whose id is not the path's", async () => {
    const asked = { method: "POST", path: "/tasks/t1:cancel", body: '{"id":"t2"}' };
    assert.deepEqual(await errorOf(asked), { status: 400, code: 400 });
  });

  for (const [written, id] of [
    ["a%3Ab", "a:b"],
    ["a:b", "a:b"],
    ["a%2Fb", "a/b"],
    ["%E2%82%AC%20x", "€ x"],
    ["a.b~c", "a.b~c"],
  ] as const)
    test(`finds the id ${id} in ${written}, with and without a verb`, async () => {
      assert.equal(JSON.parse((await send({ path: `/tasks/${written}` })).text).id, id);
      const cancel = await send({ method: "POST", path: `/tasks/${written}:cancel` });
      assert.equal(JSON.parse(cancel.text).id, id);
    });

  for (const [path, agent] of [
    ["/tasks/t1", undefined],
    ["/tasks/t1/", undefined],
    ["//tasks//t1", undefined],
    ["/a2a/echo/tasks/t1", "echo"],
    ["/a2a/echo//tasks/t1", "echo"],
    ["/echo/tasks/t1", "echo"],
    ["/tasks/tasks/t1", "tasks"],
  ] as const)
    test(`reads the agent ${agent} from ${path}`, async () => {
      assert.equal(JSON.parse((await send({ path })).text).id, "t1");
      assert.equal(service.received.at(-1)?.call.agent, agent);
    });

  for (const method of ["GET", "POST"])
    test(`subscribes with ${method}`, async () => {
      const { headers, text } = await send({ method, path: "/tasks/t1:subscribe" });
      assert.equal(headers["content-type"], "text/event-stream");
      assert.match(text, /^id: 1\ndata: \{"statusUpdate":.*\}\n\n$/);
    });

  for (const path of ["/nothing", "/a2a/x/nothing", "/a/b/c/d/e", "/favicon.ico", "/tasks/a/b"])
    test(`answers 404 in JSON at ${path}`, async () => {
      assert.deepEqual(await errorOf({ path }), { status: 404, code: 404 });
      assert.deepEqual(await errorOf({ path, method: "POST", body: "x" }), {
        status: 404,
        code: 404,
      });
    });

  for (const [method, path] of [
    ["DELETE", "/tasks/t1"],
    ["GET", "/message:send"],
    ["PUT", "/a2a/echo/message:stream"],
    ["PATCH", "/echo/tasks"],
    ["HEAD", "/tasks/t1:subscribe"],
  ] as const)
    test(`answers 405 with Allow to ${method} ${path}`, async () => {
      const { status, headers } = await send({ method, path });
      assert.equal(status, 405);
      assert.match(String(headers.allow), /GET|POST/);
      assert.equal(headers["content-type"], "application/json");
    });

  for (const path of ["/tasks/%zz", "/tasks/%", "/%C3%28/message:send", "/a2a/%ff/tasks"])
    test(`answers 400 to the path ${path}`, async () => {
      assert.deepEqual(await errorOf({ path }), { status: 400, code: 400 });
    });

  test("answers HEAD without a body", async () => {
    const { status, text, headers } = await send({ method: "HEAD", path: "/tasks/t1" });
    assert.equal(status, 200);
    assert.equal(text, "");
    assert.notEqual(headers["content-length"], "0");
  });

  test("answers 415 to other content types and encodings", async () => {
    for (const headers of [{ "content-type": "text/plain" }, { "content-encoding": "br" }]) {
      const asked = { method: "POST", path: "/message:send", headers, body: "{}" };
      assert.deepEqual(await errorOf(asked), { status: 415, code: 415 });
    }
  });

  for (const body of ["{", "[1,2]", '"x"', Buffer.from([0x7b, 0xff, 0x7d])])
    test(`answers 400 to the body ${String(body)}`, async () => {
      const asked = { method: "POST", path: "/message:send", body };
      assert.deepEqual(await errorOf(asked), { status: 400, code: 400 });
    });

  test("answers 413 to a chunked body that grows too large, and closes", async () => {
    const asked = {
      method: "POST",
      path: "/message:send",
      headers: { "transfer-encoding": "chunked" },
      body: "x".repeat(3_000_000),
    };
    assert.deepEqual(await errorOf(asked), { status: 413, code: 413 });
    assert.equal((await send(asked)).headers.connection, "close");
  });
});
