import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import Koa from "koa";
import { catalogueRoute } from "../../../src/transports/http/catalogue.ts";
import type { QueryProblem } from "../../../src/transports/http/catalogue-query.ts";
import { sendHttp, type HttpAnswer } from "../../support/http-client.ts";

interface Refusal {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly message: string;
    readonly details: readonly [{ readonly fieldViolations: readonly QueryProblem[] }];
  };
}

describe("the catalogue", () => {
  let server: Server;
  let port: number;

  before(async () => {
    const app = new Koa();
    const origins = {
      of: () => "https://a.example",
      addressOf: () => "",
      headers: ["X-Forwarded-Host"],
    };
    // What it was asked for is its answer.
    const source = (asked: object) => ({ body: JSON.stringify(asked), etag: '"c"', maxAge: 60 });
    app.use(catalogueRoute(source, { origins, countRequest: undefined }));
    app.use((ctx) => {
      ctx.body = "passed on";
    });
    const handle = app.callback();
    server = createServer((req, res) => void handle(req, res));
    await once(server.listen(0, "127.0.0.1"), "listening");
    ({ port } = server.address() as AddressInfo);
  });
  after(() => server.close());

  const get = (
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<HttpAnswer> => sendHttp(port, { method, path, headers });
  const asked = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const { status, text } = await get(path, headers);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  const refusedFor = async (query: string): Promise<Refusal["error"]> => {
    const { status, text } = await get(`/a2a?${query}`);
    assert.equal(status, 400);
    return (JSON.parse(text) as Refusal).error;
  };

  for (const path of ["/a2a", "/a2a/", "/a2a?", "/a2a/?q=", "/%612a", "/a2%61/"])
    test(`is at ${path}, to be cached, for every page`, async () => {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200);
      assert.deepEqual(JSON.parse(text), {
        filter: { tags: [], words: [] },
        pageSize: 50,
        origin: "https://a.example",
      });
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["etag"], '"c"');
      assert.equal(headers["cache-control"], "public, max-age=60");
      assert.equal(headers["vary"], "A2A-Version, X-Forwarded-Host");
      assert.equal(headers["access-control-allow-origin"], "*");
    });

  for (const path of ["/", "/a2a/x", "/a2a/x/", "/a2", "/a2ax", "/x/a2a", "/x?/a2a", "/%zz"])
    test(`leaves ${path} to others`, async () => {
      assert.equal((await get(path)).text, "passed on");
    });

  test("hands on what is searched for", async () => {
    const query = "skill=+Weather%20forecast&tag=a&tag=b+c&q=+two++w%C3%B6rds%0A&pageSize=7";
    assert.deepEqual(await asked(`/a2a?${query}&pageToken=agent-7`), {
      filter: { skill: "Weather forecast", tags: ["a", "b c"], words: ["two", "wörds"] },
      pageSize: 7,
      after: "agent-7",
      origin: "https://a.example",
    });
  });

  test("takes parameters without a value as absent", async () => {
    const all = await asked("/a2a");
    assert.deepEqual(await asked("/a2a?skill=&tag=&tag=+&q=%20&pageSize=&pageToken"), all);
  });

  for (const [title, path, headers, version] of [
    ["in the header", "/a2a", { "a2a-version": "0.3" }, "0.3"],
    ["in the query", "/a2a?A2A-Version=1.0", {}, "1.0"],
    ["in both, of which the header counts", "/a2a?a2a-version=1", { "a2a-version": "0.3" }, "0.3"],
  ] as const)
    test(`hands on the version that the caller names ${title}`, async () => {
      const { version: named } = (await asked(path, headers)) as { version: string };
      assert.equal(named, version);
    });

  for (const [query, field, what] of [
    ["limit=5", "limit", /unknown parameter.*pageSize/],
    ["Skill=x", "Skill", /unknown/],
    ["__proto__=x", "__proto__", /unknown/],
    ["pageSize=0", "pageSize", /1 to 100, got "0"/],
    ["pageSize=101", "pageSize", /1 to 100/],
    ["pageSize=-1", "pageSize", /1 to 100/],
    ["pageSize=1.5", "pageSize", /1 to 100/],
    ["pageSize=1e1", "pageSize", /1 to 100/],
    ["pageSize=5&pageSize=6", "pageSize", /more than once/],
    ["skill=a&skill=b", "skill", /more than once/],
    ["q=a&q=b", "q", /more than once/],
    ["pageToken=Not+ours", "pageToken", /not a token/],
    [`pageToken=${"a".repeat(64)}`, "pageToken", /not a token/],
    [`q=${"a".repeat(201)}`, "q", /longer than 200/],
    [Array.from({ length: 21 }, (_, n) => `tag=${n}`).join("&"), "tag", /more than 20/],
  ] as const)
    test(`refuses ${query.slice(0, 30)}, and says why`, async () => {
      const { code, status, message, details } = await refusedFor(query);
      assert.deepEqual([code, status], [400, "INVALID_ARGUMENT"]);
      const [{ fieldViolations }] = details;
      assert.deepEqual(
        fieldViolations.map((violation) => violation.field),
        [field],
      );
      assert.match(fieldViolations[0]?.description ?? "", what);
      assert.ok(message.startsWith(`${field}: `));
    });

  test("names everything that is wrong at once", async () => {
    const { message, details } = await refusedFor("x=1&pageSize=many&pageToken=%00&q=fine");
    const fields = details[0].fieldViolations.map(({ field }) => field);
    assert.deepEqual(fields, ["x", "pageSize", "pageToken"]);
    for (const field of fields) assert.ok(message.includes(`${field}: `));
  });

  test("answers HEAD with the same headers and no body", async () => {
    const [head, full] = [await get("/a2a", {}, "HEAD"), await get("/a2a")];
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.deepEqual({ ...head.headers, date: "" }, { ...full.headers, date: "" });
  });

  for (const tags of ['"c"', 'W/"c"', '"x,y", W/"c"', "*"])
    test(`answers 304 without a body to If-None-Match: ${tags}`, async () => {
      const { status, text, headers } = await get("/a2a", { "if-none-match": tags });
      assert.deepEqual([status, text, headers["etag"]], [304, "", '"c"']);
      assert.equal(headers["vary"], "A2A-Version, X-Forwarded-Host");
    });

  test("takes another tag as stale, and goes by no date", async () => {
    assert.equal((await get("/a2a", { "if-none-match": '"d"' })).status, 200);
    const since = { "if-modified-since": "Fri, 02 Jan 2099 00:00:00 GMT" };
    assert.equal((await get("/a2a", since)).status, 200);
  });

  for (const method of ["POST", "PUT", "DELETE"])
    test(`answers 405 with Allow to ${method}`, async () => {
      const { status, headers, text } = await get("/a2a", {}, method);
      assert.equal(status, 405);
      assert.equal(headers["allow"], "GET, HEAD, OPTIONS");
      assert.equal(JSON.parse(text).error.code, 405);
    });

  test("lets every page ask beforehand", async () => {
    const { status, headers } = await get("/a2a", { origin: "https://any.example" }, "OPTIONS");
    assert.equal(status, 204);
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.match(String(headers["access-control-allow-headers"]), /A2A-Version/);
  });
});
