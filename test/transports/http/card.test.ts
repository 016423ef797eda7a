import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendHttp, type HttpAnswer } from "../../support/http-client.ts";
import { scriptedService } from "../../support/scripted-service.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const MODIFIED = new Date("2026-01-02T03:04:05.678Z");

describe("cards", () => {
  let transports: Transports;

  before(async () => {
    transports = await startTransports(scriptedService({}), {
      cards: {
        card(request) {
          if (request.agent === "none") return undefined;
          if (request.agent === "broken") throw new Error("broken");
          const body = JSON.stringify({ name: request.agent ?? "primary", ...request });
          return { body, etag: '"v,1"', lastModified: MODIFIED, maxAge: 60 };
        },
        openApi({ agent }) {
          if (agent === "none") return undefined;
          const body = JSON.stringify({ openapi: "3.1.0", agent });
          return { body, etag: '"o"', lastModified: MODIFIED, maxAge: 60 };
        },
        keySet: () => ({ body: '{"keys":[]}', etag: '"k"', lastModified: MODIFIED, maxAge: 60 }),
      },
      origins: {
        of: ({ headers }) => headers["x-origin"]?.toString(),
        addressOf: () => "",
        headers: ["X-Origin"],
      },
    });
  });
  after(() => transports.stop());

  const get = (
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<HttpAnswer> => sendHttp(transports.port, { method, path, headers });
  const CARD = "/.well-known/agent-card.json";

  for (const [path, name] of [
    [CARD, "primary"],
    ["/.well-known/agent.json", "primary"],
    [`${CARD}/`, "primary"],
    [`${CARD}?x=1`, "primary"],
    ["/%2Ewell-known/agent%2Dcard%2Ejson", "primary"],
    ["/.well%2Dknown/agent-card.json", "primary"],
    ["/a2a/echo/.%77ell%2dknown/agent.json", "echo"],
    [`/a2a/echo${CARD}`, "echo"],
    ["/a2a/echo/.well-known/agent.json", "echo"],
    [`/a2a/echo/${CARD}`, "echo"],
  ] as const)
    test(`serves the card of ${name} at ${path}`, async () => {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200);
      assert.equal(JSON.parse(text).name, name);
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["cache-control"], "public, max-age=60");
      assert.equal(headers["vary"], "A2A-Version, X-Origin");
      assert.equal(headers["last-modified"], "Fri, 02 Jan 2026 03:04:05 GMT");
      assert.equal(headers["access-control-allow-origin"], "*");
    });

  for (const [title, path, headers, version] of [
    ["in the header", CARD, { "a2a-version": "0.3" }, "0.3"],
    ["in the query", `${CARD}?A2A-Version=1.0`, {}, "1.0"],
    ["in both, of which the header counts", `${CARD}?a2a-version=1.0`, { "a2a-version": "2" }, "2"],
    ["nowhere", CARD, {}, undefined],
  ] as const)
    test(`hands on the version that the caller names ${title}`, async () => {
      assert.equal(JSON.parse((await get(path, headers)).text).version, version);
    });

  test("hands on the origin that may be named, and nothing else of the request", async () => {
    const allowed = { "x-origin": "https://a.example" };
    assert.equal(JSON.parse((await get(CARD, allowed)).text).origin, "https://a.example");
    const { text } = await get(CARD, { host: "evil.example", "x-forwarded-host": "evil.example" });
    assert.doesNotMatch(text, /evil/);
  });

  for (const path of ["/.well-known/jwks.json", "/a2a/echo/.well-known/jwks.json"])
    test(`serves the keys at ${path}, to be cached, for every page`, async () => {
      const { status, headers, text } = await get(path);
      assert.deepEqual([status, text], [200, '{"keys":[]}']);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["cache-control"], "public, max-age=60");
      assert.equal(headers["vary"], undefined);
      assert.equal((await get(path, { "if-none-match": '"k"' })).status, 304);
    });

  for (const path of ["/openapi.json", "/a2a/echo/openapi.json", "/a2a/echo/%6fpenapi.json/"])
    test(`serves the OpenAPI document at ${path}, to be cached, for every page`, async () => {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200);
      assert.equal(JSON.parse(text).agent, path.startsWith("/a2a/") ? "echo" : undefined);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["cache-control"], "public, max-age=60");
      assert.equal(headers["vary"], "X-Origin");
      assert.equal((await get(path, { "if-none-match": '"o"' })).status, 304);
      assert.equal((await get("/a2a/none/openapi.json")).status, 404);
    });

  test("answers 404 in JSON for an agent that is not there", async () => {
    const { status, text, headers } = await get(`/a2a/none${CARD}`);
    assert.equal(status, 404);
    assert.equal(JSON.parse(text).error.code, 404);
    assert.equal(headers["access-control-allow-origin"], "*");
  });

  test("answers HEAD with the same headers and no body", async () => {
    const [head, full] = [await get(CARD, {}, "HEAD"), await get(CARD)];
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    assert.deepEqual({ ...head.headers, date: "" }, { ...full.headers, date: "" });
  });

  for (const tags of ['"v,1"', 'W/"v,1"', '"x", W/"v,1" , "y"', "*"])
    test(`answers 304 without a body to If-None-Match: ${tags}`, async () => {
      const answer = await get(CARD, { "if-none-match": tags });
      assert.equal(answer.status, 304);
      assert.equal(answer.text, "");
      assert.equal(answer.headers["etag"], '"v,1"');
      assert.equal(answer.headers["vary"], "A2A-Version, X-Origin");
    });

  test("takes another tag as stale", async () => {
    const answer = await get(CARD, { "if-none-match": '"v", "1"' });
    assert.equal(answer.status, 200);
  });

  for (const [since, status] of [
    ["Fri, 02 Jan 2026 03:04:05 GMT", 304],
    ["Fri, 02 Jan 2026 03:04:06 GMT", 304],
    ["Fri, 02 Jan 2026 03:04:04 GMT", 200],
    ["yesterday", 200],
  ] as const)
    test(`answers ${status} to If-Modified-Since: ${since}`, async () => {
      assert.equal((await get(CARD, { "if-modified-since": since })).status, status);
    });

  test("counts the tag, not the date, where both are sent", async () => {
    const headers = {
      "if-none-match": '"x"',
      "if-modified-since": "Fri, 02 Jan 2099 00:00:00 GMT",
    };
    assert.equal((await get(CARD, headers)).status, 200);
  });

  test("answers 405 with Allow to other methods", async () => {
    const { status, headers } = await get(CARD, {}, "POST");
    assert.equal(status, 405);
    assert.match(String(headers.allow), /GET, HEAD/);
  });

  test("lets every page ask beforehand", async () => {
    const { status, headers } = await get(CARD, { origin: "https://any.example" }, "OPTIONS");
    assert.equal(status, 204);
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.match(String(headers["access-control-allow-headers"]), /A2A-Version/);
  });

  test("tells the log of what fails without the query, where keys may be", async () => {
    const path = "/a2a/broken/.well-known/agent-card.json";
    assert.equal((await get(`${path}?key=secret`)).status, 500);
    assert.deepEqual(
      transports.logged.map((line) => line["path"]),
      [path],
    );
  });
});
