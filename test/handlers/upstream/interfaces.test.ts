import assert from "node:assert/strict";
import { test } from "node:test";
import { interfacesOf, type Pins } from "../../../src/handlers/upstream/discovery/interfaces.ts";

const CARD_URL = "http://up.example:9000/x/y/.well-known/agent-card.json";

function urlOf(
  url: string,
  protocolBinding = "JSONRPC",
  protocolVersion = "1.0",
): string | undefined {
  const offered = [{ url, protocolBinding, protocolVersion }];
  return interfacesOf(offered, CARD_URL, {})[0]?.url;
}

for (const [written, url] of [
  ["http://up.example:9000/x/y", "http://up.example:9000/x/y"],
  ["http://up.example:9000/x/y/", "http://up.example:9000/x/y/"],
  ["/x/y/rpc", "http://up.example:9000/x/y/rpc"],
  ["HTTPS://Public.Example/rpc?k=v#f", "https://public.example/rpc?k=v"],
  ["http://[::1]:9000/rpc", "http://[::1]:9000/rpc"],
  ["http://0.0.0.0:9001/rpc", "http://up.example:9001/rpc"],
  ["http://[::]:9001/rpc", "http://up.example:9001/rpc"],
  ["", undefined],
  ["ftp://up.example/rpc", undefined],
  ["javascript:alert(1)", undefined],
  ["http://", undefined],
] as const)
  test(`calls JSON-RPC at ${JSON.stringify(written)} as ${url ?? "nothing"}`, () => {
    assert.equal(urlOf(written), url);
  });

for (const [written, url] of [
  ["http://up.example/", "http://up.example"],
  ["http://up.example/base//?k=v", "http://up.example/base?k=v"],
  ["http://up.example/base/v1/", "http://up.example/base/v1"],
] as const)
  test(`calls HTTP+JSON at ${written} as ${url}, to which paths can be added`, () => {
    assert.equal(urlOf(written, "HTTP+JSON"), url);
  });

for (const [written, url] of [
  ["http://up.example/v1", "http://up.example"],
  ["http://up.example/v1/", "http://up.example"],
  ["http://up.example/base/v1//?k=v", "http://up.example/base?k=v"],
  ["http://up.example/base/", "http://up.example/base"],
  ["http://up.example/v1/base", "http://up.example/v1/base"],
  ["http://up.example/xv1", "http://up.example/xv1"],
] as const)
  test(`calls HTTP+JSON of 0.3 at ${written} as ${url}, to which paths from /v1 on can be added`, () => {
    assert.equal(urlOf(written, "HTTP+JSON", "0.3"), url);
  });

test("calls JSON-RPC of 0.3 below /v1 where the card says so", () => {
  assert.equal(urlOf("http://up.example/a2a/v1", "JSONRPC", "0.3"), "http://up.example/a2a/v1");
});

for (const [written, url] of [
  ["up.example:50051", "up.example:50051"],
  ["localhost:50051", "localhost:50051"],
  ["10.0.0.1:50051", "10.0.0.1:50051"],
  ["[::1]:50051", "[::1]:50051"],
  ["0.0.0.0:50051", "up.example:50051"],
  ["up.example", "up.example:80"],
  ["http://up.example:50051", "http://up.example:50051"],
  ["https://up.example/", "https://up.example"],
  ["grpc://up.example:50051", "http://up.example:50051"],
  ["grpcs://up.example:50051", "https://up.example:50051"],
  ["unix:///tmp/x", undefined],
  ["/rpc", undefined],
  ["", undefined],
] as const)
  test(`calls gRPC at ${JSON.stringify(written)} as ${url ?? "nothing"}`, () => {
    assert.equal(urlOf(written, "GRPC"), url);
  });

const OFFERED = [
  { url: "up:1", protocolBinding: "grpc", protocolVersion: "1.0" },
  { url: "http://up/2", protocolBinding: "jsonrpc", protocolVersion: "0.3" },
  { url: "http://up/3", protocolBinding: "Http+Json", protocolVersion: "1.0.1", tenant: "t" },
  { url: "http://up/4", protocolBinding: "JSONRPC", protocolVersion: "" },
  { url: "http://up/5", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
  { url: "http://up/6", protocolBinding: "https://example.org/binding", protocolVersion: "1.0" },
  { url: "http://up/7", protocolBinding: "JSONRPC", protocolVersion: "2.0" },
  { url: "http://up/2", protocolBinding: "JSONRPC", protocolVersion: "0.3.1" },
];

function texts(pins: Pins): readonly string[] {
  return interfacesOf(OFFERED, CARD_URL, pins).map(
    ({ url, binding, version, tenant = "" }) => `${binding} ${version} ${url} ${tenant}`,
  );
}

test("keeps the order of the card, knows bindings in any letters, and drops what cannot be called", () => {
  assert.deepEqual(texts({}), [
    "GRPC 1.0 up:1 ",
    "JSONRPC 0.3 http://up/2 ",
    "HTTP+JSON 1.0 http://up/3 t",
    "JSONRPC 0.3 http://up/4 ",
    "JSONRPC 0.3 http://up/5 ",
  ]);
});

test("takes only interfaces of the pinned version and binding", () => {
  assert.deepEqual(texts({ version: "1.0" }).length, 2);
  assert.deepEqual(texts({ binding: "HTTP+JSON" }), ["HTTP+JSON 1.0 http://up/3 t"]);
  assert.deepEqual(texts({ binding: "GRPC", version: "0.3" }), []);
});

test("cannot call relative addresses of a card that comes from nowhere", () => {
  const offered = [{ url: "/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  assert.deepEqual(interfacesOf(offered, undefined, {}), []);
});
