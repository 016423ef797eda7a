import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { checkConfiguredCard } from "../../../src/handlers/upstream/discovery/check-card.ts";
import { discover, type Whereabouts } from "../../../src/handlers/upstream/discovery/discover.ts";
import type { FoundCard } from "../../../src/handlers/upstream/discovery/found-card.ts";
import { CARD_PATH, legacyCard, newestCard, pages, serve, type Respond } from "./support.ts";

const deps = {
  headers: async () => ({}),
  refused: () => false,
  tls: {},
  signal: new AbortController().signal,
  now: () => 7,
  baseDir: "/",
};

const JSONRPC = { protocolBinding: "JSONRPC", protocolVersion: "1.0" };
const CARD = newestCard({ url: "http://up/rpc", ...JSONRPC });

async function offered(where: Whereabouts): Promise<readonly string[]> {
  const { interfaces } = await discover(where, [], deps);
  return interfaces.map(({ binding, version, url }) => `${binding} ${version} ${url}`);
}

test("finds the card below the address, and asks for it as one of 1.0 with the headers of calls", async (context) => {
  let seen: unknown;
  const { url, asked } = await serve(context, (request, response) => {
    seen = request.headers;
    response.end(JSON.stringify(CARD));
  });
  const headers = async () => ({ "x-tenant": "t", "a2a-version": "9.9" });
  const found = await discover({ url: `${url}/x/y/?k=v` }, [], { ...deps, headers });
  assert.deepEqual(asked, [`GET /x/y${CARD_PATH}?k=v`]);
  const { "a2a-version": version, "x-tenant": tenant } = seen as Record<string, string>;
  assert.deepEqual([version, tenant], ["1.0", "t"]);
  assert.equal(found.card.name, "Weather");
  assert.deepEqual(found.interfaces, [
    { url: "http://up/rpc", binding: "JSONRPC", version: "1.0" },
  ]);
  assert.deepEqual(found.cards, [
    { base: `${url}/x/y/?k=v`, url: `${url}/x/y${CARD_PATH}?k=v`, json: CARD, fetchedAt: 7 },
  ]);
});

test("finds a card under the old name, and one whose own address is given", async (context) => {
  const { url } = await serve(
    context,
    pages({ "/.well-known/agent.json": CARD, "/cards/weather.json": CARD }),
  );
  assert.deepEqual(await offered({ url }), ["JSONRPC 1.0 http://up/rpc"]);
  assert.deepEqual(await offered({ url: `${url}/cards/weather.json` }), [
    "JSONRPC 1.0 http://up/rpc",
  ]);
});

test("looks on where a server answers everything with a page or with some JSON", async (context) => {
  for (const nonsense of ["<!doctype html>", '{"message":"hello"}', "[]"]) {
    const { url } = await serve(context, ({ url: path }, response) =>
      response.end(path === CARD_PATH ? nonsense : JSON.stringify(CARD)),
    );
    assert.deepEqual(await offered({ url }), ["JSONRPC 1.0 http://up/rpc"]);
  }
});

test("reads a card of 0.3: the preferred interface first, each once, JSON-RPC where none is named", async (context) => {
  const card = legacyCard({
    url: "/rpc",
    additionalInterfaces: [
      { url: "/rpc", transport: "JSONRPC" },
      { url: "/rest", transport: "HTTP+JSON" },
      { url: "up.example:50051", transport: "GRPC" },
    ],
  });
  const { url } = await serve(context, pages({ [CARD_PATH]: card }));
  assert.deepEqual(await offered({ url }), [
    `JSONRPC 0.3 ${url}/rpc`,
    `HTTP+JSON 0.3 ${url}/rest`,
    "GRPC 0.3 up.example:50051",
  ]);
});

test("reads both halves of a card of both versions, that of 1.0 first", async (context) => {
  const card = {
    ...newestCard(
      { url: "http://up/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url: "http://up/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ),
    ...legacyCard({
      url: "http://up/rpc",
      preferredTransport: "jsonrpc",
      additionalInterfaces: [{ url: "up:50051", transport: "GRPC" }],
      security: [{ key: [] }],
      securitySchemes: {
        key: {
          type: "apiKey",
          in: "header",
          name: "x",
          apiKeySecurityScheme: { location: "header", name: "x" },
        },
      },
    }),
  };
  const { url } = await serve(context, pages({ [CARD_PATH]: card }));
  assert.deepEqual(await offered({ url }), [
    "HTTP+JSON 1.0 http://up/rest",
    "JSONRPC 0.3 http://up/rpc",
    "GRPC 0.3 up:50051",
  ]);
  const found = await discover({ url }, [], deps);
  assert.deepEqual(found.card.securitySchemes, {
    key: { apiKeySecurityScheme: { location: "header", name: "x" } },
  });
});

test("reads a card whose members are null or missing", async (context) => {
  const card = {
    name: "A",
    skills: null,
    capabilities: null,
    supportedInterfaces: [{ url: "http://up/rpc", protocolBinding: "JSONRPC" }],
  };
  const { url } = await serve(context, pages({ [CARD_PATH]: card }));
  const found = await discover({ url }, [], deps);
  assert.deepEqual(found.card.skills, []);
  assert.equal(found.interfaces[0]?.version, "0.3");
});

test("says what the card offers when none of it can be called", async (context) => {
  const card = newestCard(
    { url: "up:1", protocolBinding: "GRPC", protocolVersion: "1.0" },
    { url: "http://up/x", protocolBinding: "urn:x", protocolVersion: "1.0" },
  );
  const { url } = await serve(context, pages({ [CARD_PATH]: card }));
  await assert.rejects(discover({ url, binding: "JSONRPC", version: "1.0" }, [], deps), {
    message:
      "the agent's card offers no interface that can be called as JSONRPC 1.0: it offers GRPC 1.0 at up:1, urn:x 1.0 at http://up/x",
  });
});

for (const [what, respond, message, requests] of [
  ["an error of the server", answering(500), `${CARD_PATH} answers 500`, 1],
  ["a refusal", answering(401), `${CARD_PATH} answers 401`, 1],
  [
    "a redirect",
    answering(302, { location: "http://elsewhere/" }),
    `${CARD_PATH} redirects to "http://elsewhere/", which is not followed`,
    1,
  ],
  ["no card", answering(404), `.well-known/agent.json answers 404`, 2],
  [
    "an unknown encoding",
    answering(200, { "content-encoding": "zstd" }),
    'the card is encoded as "zstd"',
    1,
  ],
  [
    "a card without end",
    (_request, response) => response.end(Buffer.alloc(3_000_000, " ")),
    "the agent's answer is longer than 2097152 bytes",
    1,
  ],
  [
    "a card that grows beyond all measure when it is decoded",
    (_request, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(3_000_000, " "))),
    "Cannot create a Buffer larger than 2097152 bytes",
    1,
  ],
  ["a connection that is cut", ({ socket }) => socket.destroy(), "socket hang up", 1],
  [
    "a member of the wrong kind",
    pages({ [CARD_PATH]: { supportedInterfaces: [7] } }),
    "the agent's card is invalid: supportedInterfaces[0]: must be an object, not a number",
    2,
  ],
] as const satisfies readonly (readonly [string, Respond, string, number])[])
  test(`finds no card in ${what}`, async (context) => {
    const { url, asked } = await serve(context, respond);
    await assert.rejects(discover({ url }, [], deps), (thrown: Error) => {
      assert.ok(thrown.message.startsWith("no agent card: "), thrown.message);
      assert.ok(thrown.message.includes(message), thrown.message);
      return true;
    });
    assert.equal(asked.length, requests);
  });

function answering(status: number, headers: Record<string, string> = {}): Respond {
  return (_request, response) => response.writeHead(status, headers).end("no");
}

test("reads cards that are compressed though nobody asked for it", async (context) => {
  for (const [encoding, encode] of [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const) {
    const { url } = await serve(context, (_request, response) =>
      response.setHeader("content-encoding", encoding).end(encode(JSON.stringify(CARD))),
    );
    assert.equal((await offered({ url })).length, 1);
  }
});

test("stops to ask when it is told to", async (context) => {
  const { url } = await serve(context, () => stopping.abort());
  const stopping = new AbortController();
  await assert.rejects(discover({ url }, [], { ...deps, signal: stopping.signal }), /abort/);
});

test("asks again with other headers, once, when those that it sent are refused", async (context) => {
  const { url } = await serve(context, ({ headers }, response) =>
    headers["x-token"] === "2" ? response.end(JSON.stringify(CARD)) : response.writeHead(401).end(),
  );
  let token = 0;
  const headers = async () => ({ "x-token": String(++token) });
  await discover({ url }, [], { ...deps, headers, refused: () => true });
  token = 2;
  await assert.rejects(discover({ url }, [], { ...deps, headers, refused: () => true }), /401/);
  assert.equal(token, 4);
});

test("does not have a card sent again that has not changed", async (context) => {
  const { url, asked } = await serve(context, ({ headers, url: path }, response) => {
    if (path === CARD_PATH) return response.writeHead(404).end();
    if (headers["if-none-match"] === '"1"') return response.writeHead(304).end();
    return response.setHeader("etag", '"1"').end(JSON.stringify(CARD));
  });
  const first = await discover({ url }, [], deps);
  const second = await discover({ url }, first.cards, { ...deps, now: () => 8 });
  assert.deepEqual(second, { ...first, cards: [{ ...first.cards[0], fetchedAt: 8 }] });
  assert.deepEqual(asked, [
    `GET ${CARD_PATH}`,
    "GET /.well-known/agent.json",
    "GET /.well-known/agent.json",
  ]);
});

test("takes the interfaces of all addresses, in their order, of those that do not answer as they were", async (context) => {
  const [one, two] = await Promise.all(
    ["/1", "/2"].map((path) =>
      serve(context, pages({ [CARD_PATH]: newestCard({ url: path, ...JSONRPC }) })),
    ),
  );
  assert.ok(one && two);
  const urls = [one.url, two.url];
  const urlsOf = async (known: readonly FoundCard[]) => {
    const found = await discover({ urls }, known, deps);
    return { ...found, urls: found.interfaces.map(({ url }) => url) };
  };
  const before = await urlsOf([]);
  assert.deepEqual(before.urls, [`${one.url}/1`, `${two.url}/2`]);
  await one.close();
  assert.deepEqual((await urlsOf(before.cards)).urls, before.urls);
  assert.deepEqual((await urlsOf([])).urls, [`${two.url}/2`]);
  await two.close();
  await assert.rejects(urlsOf(before.cards), /ECONNREFUSED.*; .*ECONNREFUSED/);
});

async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "card-"));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

test("takes a card from a file, and one from the configuration", async (context) => {
  const baseDir = await folder(context);
  await writeFile(join(baseDir, "card.json"), JSON.stringify(CARD));
  const found = await discover({ card: "./card.json" }, [], { ...deps, baseDir });
  assert.deepEqual(found.cards, [{ json: CARD, fetchedAt: 7 }]);
  const inline = { url: "http://up/rpc", protocolVersion: "0.3.0" };
  assert.deepEqual(await offered({ card: inline }), ["JSONRPC 0.3 http://up/rpc"]);
});

test("says what is wrong with the file of a card", async (context) => {
  const baseDir = await folder(context);
  await assert.rejects(discover({ card: "x.json" }, [], { ...deps, baseDir }), {
    message: "no such file",
  });
  await writeFile(join(baseDir, "x.json"), "name: A");
  await assert.rejects(discover({ card: "x.json" }, [], { ...deps, baseDir }), {
    message: "expected a card in JSON",
  });
});

test("takes a configured card that cannot be used for a mistake in the configuration", async () => {
  const card = { name: "A", url: "http://up/rpc" };
  await checkConfiguredCard({ url: "http://up" }, "/");
  await checkConfiguredCard({ card }, "/");
  await assert.rejects(checkConfiguredCard({ card: "no-such.json" }, "/"), {
    message: "card: no such file",
  });
  await assert.rejects(checkConfiguredCard({ card, binding: "GRPC" }, "/"), {
    path: "card",
    what: "the agent's card offers no interface that can be called as GRPC: it offers JSONRPC 0.3 at http://up/rpc",
  });
});
