/** Requests that are wrong, and requests that fail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError } from "../../../src/protocol/errors.ts";
import { exchangeBytes } from "../../support/raw-socket.ts";
import { errorIn, startAdmin } from "../support/admin-client.ts";
import { scriptedPorts } from "../support/scripted-ports.ts";

test("every query parameter that is wrong is named at once", async (t) => {
  const { call, ports } = await startAdmin(t);
  const query =
    "pageSize=201&pageSize=1&from=yesterday&before=2026-02-30T00:00:00Z&state=busy&agent=A&id=" +
    "&pageToken=&color=red&__proto__=1&constructor=1";
  const answer = await call("GET", `/admin/tasks?${query}`);
  assert.equal(answer.status, 400);
  const { code, message, problems } = errorIn(answer);
  assert.equal(code, "INVALID_PARAMS");
  assert.equal(message, "pageSize must be a whole number from 1 to 200 (and 10 more)");
  assert.deepEqual(
    problems?.map(({ path, what }) => `${path} ${what}`),
    [
      "pageSize must be a whole number from 1 to 200",
      "pageSize is given more than once",
      "from must be an instant such as 2026-01-31T12:00:00Z",
      "before must be an instant such as 2026-01-31T12:00:00Z",
      "state must be one of submitted, working, completed, failed, canceled, input-required, rejected, auth-required",
      "agent must be 1 to 63 of a-z, 0-9 and -, the first one no -",
      "id must have 1 to 1024 characters",
      "pageToken must have 1 to 1024 characters",
      "color is not known here",
      "__proto__ is not known here",
      "constructor is not known here",
    ],
  );
  assert.deepEqual(ports.searches, []);
});

test("a route without parameters takes none", async (t) => {
  const { call } = await startAdmin(t);
  for (const [method, path] of [
    ["GET", "/admin/agents?verbose"],
    ["POST", "/admin/reload?now=1"],
    ["GET", "/admin/openapi.json?x"],
  ] as const)
    assert.equal((await call(method, path)).status, 400, path);
});

test("numbers are whole numbers in their range", async (t) => {
  const { call } = await startAdmin(t);
  for (const size of ["0", "-1", "1.5", "1e2", "0x10", "%201", "", "99999999999999999999"])
    assert.equal((await call("GET", `/admin/tasks?pageSize=${size}`)).status, 400, size);
});

test("a page token that we did not make is 400 and named", async (t) => {
  const { call } = await startAdmin(t);
  const encoded = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const tokens = [
    "!",
    encoded({}),
    encoded([1]),
    encoded(["1", "a"]),
    encoded([1.5, "a"]),
    encoded([null, "a"]),
  ];
  for (const list of ["tasks", "deliveries"])
    for (const token of tokens) {
      const answer = await call("GET", `/admin/${list}?pageToken=${token}`);
      assert.equal(answer.status, 400, token);
      assert.equal(errorIn(answer).problems?.[0]?.path, "pageToken");
    }
});

test("percent-encoding that is broken is 400", async (t) => {
  const { call } = await startAdmin(t);
  for (const path of [
    "/admin/tasks/%zz",
    "/admin/agents/%",
    "/admin/%ff",
    "/admin/tasks?id=%e0%a4",
  ]) {
    const answer = await call("GET", path);
    assert.equal(answer.status, 400, path);
    assert.match(
      errorIn(answer).message ?? "",
      /^the (path|query) is not percent-encoded correctly$/,
    );
  }
});

test("a path that nothing is at is 404", async (t) => {
  const { call } = await startAdmin(t);
  for (const path of [
    "/admin",
    "/admin/",
    "/admin/agents/",
    "/admin/Agents",
    "/admin/tasks/a/b",
    "/admin/../healthz",
    "/admin//agents",
  ]) {
    const answer = await call("GET", path);
    assert.equal(answer.status, 404, path);
    assert.equal(errorIn(answer).code, "NOT_FOUND");
  }
});

test("another method is 405 and says which are allowed", async (t) => {
  const { call } = await startAdmin(t);
  const allowed = async (method: string, path: string): Promise<unknown> => {
    const answer = await call(method, path);
    assert.equal(answer.status, 405, `${method} ${path}`);
    if (method !== "HEAD") assert.equal(errorIn(answer).code, "METHOD_NOT_ALLOWED");
    return answer.headers.allow;
  };
  assert.equal(await allowed("POST", "/admin/agents"), "HEAD, GET");
  assert.equal(await allowed("OPTIONS", "/admin/agents"), "HEAD, GET");
  assert.equal(await allowed("PATCH", "/admin/agents/echo"), "HEAD, GET, PUT, DELETE");
  assert.equal(await allowed("GET", "/admin/reload"), "POST");
  assert.equal(await allowed("HEAD", "/admin/reload"), "POST");
  assert.equal(await allowed("PROPFIND", "/admin/tasks"), "HEAD, GET");
});

test("HEAD is answered like GET, without a body", async (t) => {
  const { call } = await startAdmin(t);
  const get = await call("GET", "/admin/agents");
  const head = await call("HEAD", "/admin/agents");
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
  assert.equal(head.headers["content-length"], get.headers["content-length"]);
  assert.equal((await call("HEAD", "/admin/agents/nobody")).status, 404);
});

test("a body must be an object in JSON", async (t) => {
  const { call } = await startAdmin(t);
  for (const [body, message] of [
    ["", "body is missing"],
    ["{", "the body is not valid JSON"],
    ["[]", "body must be a JSON object"],
    ["null", "body must be a JSON object"],
    ['"a"', "body must be a JSON object"],
  ] as const) {
    const answer = await call("PUT", "/admin/agents/news", { body });
    assert.equal(answer.status, 400, body);
    assert.equal(errorIn(answer).message, message);
  }
});

test("a body that is not UTF-8 is 400", async (t) => {
  const { port } = await startAdmin(t);
  const head = "PUT /admin/agents/news HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n";
  const { answers } = await exchangeBytes(port, [
    `${head}content-type: application/json\r\ncontent-length: 10\r\n\r\n`,
    '{"a":"\xff"} ',
  ]);
  assert.equal(answers[0]?.status, 400);
  assert.match(answers[0]?.body ?? "", /not valid UTF-8/);
});

test("a body that is not declared as JSON is 415, on every route that changes something", async (t) => {
  const { call, ports } = await startAdmin(t);
  for (const [method, path] of [
    ["PUT", "/admin/agents/news"],
    ["DELETE", "/admin/agents/weather"],
    ["POST", "/admin/reload"],
    ["POST", "/admin/deliveries/redrive"],
  ] as const)
    for (const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ]) {
      const answer = await call(method, path, { headers, body: "{}" });
      assert.equal(answer.status, 415, `${method} ${path} ${JSON.stringify(headers)}`);
      assert.equal(errorIn(answer).code, "UNSUPPORTED_MEDIA_TYPE");
    }
  assert.deepEqual(ports.redriven, []);
  const headers = { "content-type": "Application/JSON; charset=utf-8" };
  assert.equal((await call("POST", "/admin/reload", { headers, body: "{}" })).status, 200);
});

test("a route that needs no body takes an empty object and names anything else", async (t) => {
  const { call } = await startAdmin(t);
  assert.equal((await call("POST", "/admin/agents/echo/enable", { body: {} })).status, 200);
  const answer = await call("POST", "/admin/agents/echo/enable", { body: { force: true } });
  assert.equal(answer.status, 400);
  assert.equal(errorIn(answer).problems?.[0]?.path, "force");
});

test("keys that would reach every object are refused at any depth", async (t) => {
  const { call } = await startAdmin(t);
  const body = '{"name":"News","static":{"replies":[{"__proto__":{"isAdmin":true}}]}}';
  const answer = await call("PUT", "/admin/agents/news", { body });
  assert.equal(answer.status, 400);
  assert.deepEqual(errorIn(answer).problems, [
    { path: "static.replies.0.__proto__", what: "is not allowed" },
  ]);
  assert.equal(Object.hasOwn(Object.prototype, "isAdmin"), false);
});

test("a body of many levels is 400", async (t) => {
  const { call } = await startAdmin(t);
  const body = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const answer = await call("PUT", "/admin/agents/news", { body });
  assert.equal(answer.status, 400);
  assert.equal(errorIn(answer).message, "body has more than 64 levels");
});

test("a body above 1 MiB is 413, whether or not it says its length", async (t) => {
  const { call } = await startAdmin(t);
  const fits = JSON.stringify({ name: "N".repeat(1_048_576 - 11) });
  assert.equal(Buffer.byteLength(fits), 1_048_576);
  assert.equal((await call("PUT", "/admin/agents/news", { body: fits })).status, 201);
  for (const headers of [{}, { "transfer-encoding": "chunked" }] as const) {
    const answer = await call("PUT", "/admin/agents/news", { headers, body: `${fits} ` });
    assert.equal(answer.status, 413);
    assert.deepEqual(errorIn(answer), {
      code: "TOO_LARGE",
      message: "the body is larger than 1048576 bytes",
    });
  }
});

test("a body above 1 MiB is answered before its end, which need not come", async (t) => {
  const { port } = await startAdmin(t);
  const head =
    "PUT /admin/agents/news HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
  const chunk = `100000\r\n${" ".repeat(1_048_576)}\r\n`;
  const { text } = await exchangeBytes(
    port,
    [`${head}transfer-encoding: chunked\r\n\r\n`, chunk, chunk],
    { until: (received) => received.includes("TOO_LARGE") },
  );
  assert.match(text, /^HTTP\/1\.1 413 /);
});

test("a body that never ends is cut, and the next request is answered", async (t) => {
  const { port, call, log } = await startAdmin(t);
  const head =
    "PUT /admin/agents/news HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
  const { text } = await exchangeBytes(port, [`${head}content-length: 100\r\n\r\n{`]);
  assert.match(text, /^(HTTP\/1\.1 408 |$)/);
  assert.equal((await call("GET", "/admin/agents")).status, 200);
  assert.deepEqual(log.errors, []);
});

test("a caller that leaves within its body changes nothing and is no error", async (t) => {
  const { port, call, log } = await startAdmin(t);
  const head =
    "PUT /admin/agents/news HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
  await exchangeBytes(port, [`${head}content-length: 100\r\n\r\n{`], { vanish: true });
  assert.equal((await call("GET", "/admin/agents/news")).status, 404);
  assert.deepEqual(log.errors, []);
});

test("a failure of ours is 500 without its cause, which is logged once", async (t) => {
  const cause = new Error("SQLITE_IOERR: /secret/path");
  const fail = async (): Promise<never> => {
    throw cause;
  };
  const tasks = { ...scriptedPorts().tasks, search: fail };
  const { call, log } = await startAdmin(t, { tasks });
  const answer = await call("GET", "/admin/tasks");
  assert.equal(answer.status, 500);
  assert.deepEqual(errorIn(answer), { code: "INTERNAL_ERROR", message: "internal error" });
  assert.deepEqual(log.errors, [
    {
      level: "error",
      message: "admin request failed",
      fields: { path: "/admin/tasks", err: cause },
    },
  ]);
});

test("an answer that cannot be written is 500 in the same shape", async (t) => {
  const agents = { ...scriptedPorts().agents, list: () => [{ running: 1n } as never] };
  const { call, log } = await startAdmin(t, { agents });
  const answer = await call("GET", "/admin/agents");
  assert.equal(answer.status, 500);
  assert.equal(errorIn(answer).code, "INTERNAL_ERROR");
  assert.equal(log.errors.length, 1);
});

test("an error of A2A keeps its reason, its status and the time to wait", async (t) => {
  const cancelTask = async (): Promise<never> => {
    throw new A2AError("UNAVAILABLE", "the database is locked", { retryAfter: 1.2 });
  };
  const { call } = await startAdmin(t, { cancelTask });
  const answer = await call("POST", "/admin/tasks/task-1/cancel");
  assert.equal(answer.status, 503);
  assert.equal(answer.headers["retry-after"], "2");
  assert.deepEqual(errorIn(answer), { code: "UNAVAILABLE", message: "the database is locked" });
});

test("nothing of it is kept by caches or taken for something else", async (t) => {
  const { call } = await startAdmin(t);
  for (const path of ["/admin/agents", "/admin/nothing"]) {
    const { headers } = await call("GET", path);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-type"], "application/json");
  }
});
