import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { originsOf, type OriginSettings } from "../../../src/transports/http/origin.ts";
import { sendHttp } from "../../support/http-client.ts";

let port: number;
let settings: OriginSettings;
const server = createServer((req, res) => {
  res.end(originsOf(settings).of(req) ?? "none");
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

async function originOf(given: Partial<OriginSettings>, headers: Record<string, string>) {
  settings = { trustedProxies: [], allowedHosts: [], ...given };
  return (await sendHttp(port, { headers })).text;
}

const ALLOWED = { allowedHosts: ["a.example", "b.example:8443", "[::1]:81"] };
const BEHIND = { ...ALLOWED, trustedProxies: ["127.0.0.0/8"] };

const HOSTS: readonly (readonly [host: string, origin: string])[] = [
  ["a.example", "http://a.example"],
  ["A.EXAMPLE", "http://a.example"],
  ["a.example:80", "http://a.example"],
  ["b.example:8443", "http://b.example:8443"],
  ["[::1]:81", "http://[::1]:81"],
  ["a.example:8080", "none"],
  ["b.example", "none"],
  ["evil.example", "none"],
  ["a.example.evil.example", "none"],
  ["a.example@evil.example", "none"],
  ["evil.example/a.example", "none"],
  ["user@a.example", "none"],
  ["a.example/path", "none"],
  ["a.example?", "none"],
  ["a.example#", "none"],
  ["a.example:99999", "none"],
  ["", "none"],
];

for (const [host, origin] of HOSTS)
  test(`the origin of Host ${JSON.stringify(host)} is ${origin}`, async () => {
    assert.equal(await originOf(ALLOWED, { host }), origin);
  });

test("without a list no host counts", async () => {
  assert.equal(await originOf({ trustedProxies: ["127.0.0.1"] }, { host: "a.example" }), "none");
});

const FORWARDED: readonly (readonly [headers: Record<string, string>, origin: string])[] = [
  [{ "x-forwarded-host": "a.example", "x-forwarded-proto": "https" }, "https://a.example"],
  [{ "x-forwarded-host": "a.example:443", "x-forwarded-proto": "HTTPS" }, "https://a.example"],
  [
    { "x-forwarded-host": "a.example, inner", "x-forwarded-proto": "https, http" },
    "https://a.example",
  ],
  [{ "x-forwarded-proto": "https", host: "b.example:8443" }, "https://b.example:8443"],
  [{ "x-forwarded-host": "a.example", "x-forwarded-proto": "javascript" }, "none"],
  [{ "x-forwarded-host": "evil.example", host: "a.example" }, "none"],
  [{ forwarded: 'for=1.2.3.4;host="a.example";proto=https, for=10.0.0.1' }, "https://a.example"],
  [{ forwarded: 'for="a,b";host=a.example;proto=https' }, "https://a.example"],
  [{ forwarded: 'for="x;host=evil.example";host=a.example' }, "http://a.example"],
  [{ forwarded: 'for="\\",host=evil.example"; HOST="a\\.example" ;; Proto = https' }, "none"],
  [
    { forwarded: 'for="\\",host=evil.example"; HOST="a\\.example" ;; Proto=https' },
    "https://a.example",
  ],
  [{ forwarded: 'host="a.example;proto=https', host: "b.example:8443" }, "http://b.example:8443"],
  [{ forwarded: "host=b.example:8443;proto=http,host=evil.example" }, "http://b.example:8443"],
  [{ forwarded: "host=a.example", "x-forwarded-host": "b.example:8443" }, "http://a.example"],
  [{ forwarded: "garbage", host: "a.example" }, "http://a.example"],
];

for (const [headers, origin] of FORWARDED)
  test(`behind a trusted proxy the origin of ${JSON.stringify(headers)} is ${origin}`, async () => {
    assert.equal(await originOf(BEHIND, { host: "inner:8080", ...headers }), origin);
  });

test("what anybody else says that was forwarded does not count", async () => {
  const headers = { host: "b.example:8443", "x-forwarded-host": "a.example", forwarded: "host=a" };
  for (const trustedProxies of [[], ["10.0.0.0/8", "::1"]])
    assert.equal(await originOf({ ...ALLOWED, trustedProxies }, headers), "http://b.example:8443");
});

for (const [remoteAddress, origin] of [
  ["::ffff:127.0.0.1", "http://a.example"],
  ["::ffff:10.0.0.1", "none"],
  ["fd00::1", "none"],
] as const)
  test(`a peer at ${remoteAddress} is ${origin === "none" ? "no" : "a"} trusted proxy`, () => {
    const req = { headers: { "x-forwarded-host": "a.example" }, socket: { remoteAddress } };
    assert.equal(originsOf(BEHIND).of(req as unknown as IncomingMessage) ?? "none", origin);
  });

test("caches are told of the headers that count", () => {
  assert.deepEqual(originsOf({ ...ALLOWED, trustedProxies: [] }).headers, []);
  assert.deepEqual(originsOf(BEHIND).headers, [
    "Forwarded",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
  ]);
});
