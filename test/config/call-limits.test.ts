/** How much may be asked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";

const ECHO = 'agents:\n  echo: { name: Echo, description: "", static: {} }\n';
const KEYS = "authenticators: [{ apiKey: { in: header, name: k } }]";
const TENANTS = `authenticators: [{ basic: { users: [{ username: a, hash: "x", principal: { id: a, tenant: t } }] } }]`;

function problemsOf(text: string): readonly string[] {
  try {
    parseConfig(text, "config.yaml", {});
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown));
    return thrown.message.split("\n");
  }
  return [];
}

test("nothing is limited by default", () => {
  const { limits, agents } = parseConfig(ECHO, "c.yaml", {});
  assert.deepEqual(limits.calls, { except: [] });
  assert.equal(agents["echo"]?.calls, undefined);
});

for (const [written, rate] of [
  ["rate: 20/s", { calls: 20, period: 1_000, burst: 20 }],
  ["rate: 600 / m, burst: 50", { calls: 600, period: 60_000, burst: 50 }],
  ["rate: 1000/h, burst: 5000", { calls: 1_000, period: 3_600_000, burst: 5_000 }],
  ["rate: 1/d", { calls: 1, period: 86_400_000, burst: 1 }],
  ["rate: off", "off"],
] as const)
  test(`{ ${written} } is understood, of all and of one agent`, () => {
    const text = `limits: { calls: { principal: { ${written}, streams: 3 } } }
agents:
  a: { name: A, description: "", static: {}, calls: { ${written} } }
`;
    const { limits, agents } = parseConfig(text, "c.yaml", {});
    assert.deepEqual(limits.calls.principal, { rate, streams: 3 });
    assert.deepEqual(agents["a"]?.calls, { rate });
  });

test("an exception says for whom it is", () => {
  const text = `access: { mode: required, ${KEYS} }
limits: { calls: { except: [{ who: { scopes: [batch] }, rate: off, streams: off }] } }
${ECHO}`;
  assert.deepEqual(parseConfig(text, "c.yaml", {}).limits.calls.except, [
    { who: { scopes: ["batch"] }, rate: "off", streams: "off" },
  ]);
});

const RATE = "expected a rate such as 20/s, 600/m or 1000/h, or off";

const FAULTS: readonly (readonly [title: string, text: string, problem: string])[] = [
  ...["20", "0/s", "20/week", "1.5/s", "-1/s", "99999999999/s"].map(
    (rate) =>
      [
        `the rate ${rate}`,
        `limits:\n  calls:\n    address: { rate: "${rate}" }\n${ECHO}`,
        `config.yaml:3:22: limits.calls.address.rate: ${RATE}, got "${rate}"`,
      ] as const,
  ),
  [
    "a burst without a rate",
    `limits: { calls: { principal: { burst: 3 } } }\n${ECHO}`,
    "config.yaml:1:40: limits.calls.principal.burst: expected only beside rate, got 3",
  ],
  [
    "no streams at all",
    `limits: { calls: { agent: { streams: 0 } } }\n${ECHO}`,
    "config.yaml:1:38: limits.calls.agent.streams: expected a whole number from 1 to 1000000000, or off, got 0",
  ],
  [
    "an unknown kind",
    `limits: { calls: { adress: { streams: 1 } } }\n${ECHO}`,
    'config.yaml:1:20: limits.calls.adress: unknown key, did you mean "address"?',
  ],
  [
    "an exception that says nothing",
    `access: { mode: required, ${KEYS} }\nlimits: { calls: { except: [{ who: { scopes: [a] } }] } }\n${ECHO}`,
    "config.yaml:2:29: limits.calls.except[0]: expected at least one of rate, streams, got a mapping of who",
  ],
  [
    "an exception where nobody is asked",
    `limits: { calls: { except: [{ who: { scopes: [a] }, rate: off }] } }\n${ECHO}`,
    "config.yaml:1:36: limits.calls.except[0].who: expected only where access.mode is optional or required, got a mapping of scopes",
  ],
  [
    "an exception for an id that says nothing without its tenant",
    `access: { mode: required, ${TENANTS} }\nlimits: { calls: { except: [{ who: { principals: [a] }, rate: off }] } }\n${ECHO}`,
    "config.yaml:2:36: limits.calls.except[0].who: expected tenants beside principals, since callers have tenants here, got a mapping of principals",
  ],
  [
    "a rate of an agent",
    'agents:\n  a: { name: A, description: "", static: {}, calls: { rate: often } }\n',
    `config.yaml:2:61: agents.a.calls.rate: ${RATE}, got "often"`,
  ],
];

for (const [title, text, problem] of FAULTS)
  test(`${title} is refused with its line`, () => {
    assert.deepEqual(problemsOf(text), [problem]);
  });
