import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { upstreamSchema } from "../../src/config/handlers/upstream.ts";
import { problemsOf } from "../../src/config/problems.ts";
import { readSource } from "../../src/config/source.ts";
import { settingsOf } from "../../src/handlers/upstream/settings.ts";

const GOOD: readonly (readonly [written: string, config: object])[] = [
  ["https://agent.example", { url: "https://agent.example" }],
  ["{ urls: ['http://a', 'http://b'] }", { urls: ["http://a", "http://b"] }],
  ["{ card: ./card.json }", { card: "./card.json" }],
  ["{ card: { name: A, url: 'http://a' } }", { card: { name: "A", url: "http://a" } }],
  [
    '{ url: "http://a", version: "1.0", binding: HTTP+JSON, headers: { X-Tenant: t } }',
    { url: "http://a", version: "1.0", binding: "HTTP+JSON", headers: { "x-tenant": "t" } },
  ],
  ["{ url: 'http://a', auth: { bearer: t } }", { url: "http://a", auth: { bearer: "t" } }],
  [
    "{ url: 'http://a', auth: { bearer: { file: ./token } } }",
    { url: "http://a", auth: { bearer: { file: "./token" } } },
  ],
  [
    "{ url: 'http://a', auth: { basic: { username: u, password: p } } }",
    { url: "http://a", auth: { basic: { username: "u", password: "p" } } },
  ],
  [
    "{ url: 'http://a', auth: { apiKey: { name: X-Key, value: { file: k } } } }",
    { url: "http://a", auth: { apiKey: { name: "x-key", value: { file: "k" } } } },
  ],
  [
    "{ url: 'http://a', auth: { oauth2: { tokenUrl: 'https://i/t', clientId: c, clientSecret: s, scopes: [a], audience: b } } }",
    {
      url: "http://a",
      auth: {
        oauth2: {
          tokenUrl: "https://i/t",
          clientId: "c",
          clientSecret: "s",
          scopes: ["a"],
          audience: "b",
        },
      },
    },
  ],
  [
    "{ url: 'http://a', tls: { ca: ca.pem, cert: c.pem, key: k.pem }, connectTimeout: 1s, headTimeout: 0, idleTimeout: 0, callTimeout: 2m, maxAnswer: 1KB, maxEvent: 2KB, maxEvents: 9, connections: 3, cardRefresh: 1h }",
    {
      url: "http://a",
      tls: { ca: "ca.pem", cert: "c.pem", key: "k.pem" },
      connectTimeout: 1000,
      headTimeout: 0,
      idleTimeout: 0,
      callTimeout: 120_000,
      maxAnswer: 1000,
      maxEvent: 2000,
      maxEvents: 9,
      connections: 3,
      cardRefresh: 3_600_000,
    },
  ],
  [
    "{ url: 'http://a', retries: { attempts: 1, backoff: 1s, maxBackoff: 2s }, breaker: { failures: 1, cooldown: 1s }, health: { interval: off }, poll: { interval: 1s, max: 2s } }",
    {
      url: "http://a",
      retries: { attempts: 1, backoff: 1000, maxBackoff: 2000 },
      breaker: { failures: 1, cooldown: 1000 },
      health: { interval: 0 },
      poll: { interval: 1000, max: 2000 },
    },
  ],
];

for (const [written, config] of GOOD)
  test(`upstream may be written ${written}`, () => {
    assert.deepEqual(upstreamSchema.parse(parse(written)), { kind: "upstream", ...config });
  });

const SOMEWHERE = "expected exactly one of url, urls, card, got a mapping of";

const BAD: readonly (readonly [written: string, problem: string])[] = [
  ["ftp://x", 'expected an http or https URL, got "ftp://x"'],
  ["https://u:p@x", 'expected a URL without a user, got "https://…@x"'],
  ["{ url: 'http://a', urls: ['http://b'] }", `${SOMEWHERE} url, urls`],
  ["{ version: '1.0' }", `${SOMEWHERE} version`],
  ["{ urls: [] }", "urls: expected at least one URL, got an empty list"],
  ["{ url: 'http://a', version: 1 }", "version: expected one of 1.0, 0.3, got 1"],
  [
    "{ url: 'http://a', binding: REST }",
    'binding: expected one of JSONRPC, HTTP+JSON, GRPC, got "REST"',
  ],
  [
    "{ url: 'http://a', auth: { bearer: a, basic: { username: u, password: p } } }",
    "auth: expected exactly one of bearer, basic, apiKey, oauth2, got a mapping of bearer, basic",
  ],
  [
    "{ url: 'http://a', auth: { bearer: 7 } }",
    "auth.bearer: expected text, or a mapping with file, got 7",
  ],
  [
    "{ url: 'http://a', auth: { basic: { username: 'a:b', password: p } } }",
    "auth.basic.username: expected a name without a colon",
  ],
  [
    "{ url: 'http://a', auth: { oauth2: { tokenUrl: 'http://i', clientId: c } } }",
    "auth.oauth2.clientSecret: missing, expected text, or a mapping with file",
  ],
  ["{ url: 'http://a', tls: { cert: c } }", 'tls.cert: expected only beside key, got "c"'],
  [
    '{ url: "http://a", headers: { x: "a\\nb" } }',
    "headers.x: expected one line of printable ASCII characters",
  ],
  [
    "{ url: 'http://a', health: { interval: never } }",
    'health.interval: expected a duration such as 30s, or off, got "never"',
  ],
  [
    "{ url: 'http://a', breaker: { failures: 0 } }",
    "breaker.failures: expected a whole number of at least 1, got 0",
  ],
  ["{ url: 'http://a', callTimeot: 1s }", 'callTimeot: unknown key, did you mean "callTimeout"?'],
];

for (const [written, problem] of BAD)
  test(`upstream may not be written ${written}`, () => {
    const source = readSource(written, "c.yaml", {});
    const { error } = upstreamSchema.safeParse(source.value);
    const checked = { schema: upstreamSchema, source, overrides: [], value: source.value };
    const problems = problemsOf(error?.issues ?? [], checked);
    const texts = problems.map(({ path, what }) => (path === "" ? what : `${path}: ${what}`));
    assert.deepEqual(texts, [problem]);
  });

test("fills in what the configuration leaves out", () => {
  const settings = settingsOf({ kind: "upstream", url: "http://a", breaker: { failures: 1 } });
  assert.deepEqual(settings.breaker, { failures: 1, cooldown: 30_000 });
  assert.deepEqual(settings.retries, { attempts: 3, backoff: 200, maxBackoff: 5_000 });
  assert.equal(settings.callTimeout, 60_000);
  assert.equal(settings.url, "http://a");
});
