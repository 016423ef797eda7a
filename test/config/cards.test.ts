/** The settings of cards, addresses and versions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";
import { signingKeyProblem } from "../../src/config/signing-problem.ts";

const ECHO = 'agents:\n  echo: { name: Echo, description: "", static: {} }\n';

function agentWith(settings: string): string {
  return `agents:\n  a: { name: A, description: "", static: {}, ${settings} }\n`;
}

function problemsOf(text: string, env: Environment = {}): readonly string[] {
  try {
    parseConfig(text, "config.yaml", env);
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown));
    return thrown.message.split("\n");
  }
  return [];
}

for (const [written, form] of [
  ["1.0", "1.0"],
  ['"1.0"', "1.0"],
  ["0.3", "0.3"],
  ["hybrid", "hybrid"],
] as const)
  test(`cards.unversioned: ${written} is understood`, () => {
    const { cards } = parseConfig(`cards: { unversioned: ${written} }\n${ECHO}`, "c.yaml", {});
    assert.equal(cards.unversioned, form);
  });

test("a version can be switched off per binding, and a binding preferred", () => {
  const text = agentWith("v03: [GRPC], preferredBinding: HTTP+JSON, port: 0");
  const { a } = parseConfig(text, "c.yaml", {}).agents;
  assert.deepEqual([a?.v03, a?.preferredBinding, a?.port], [["GRPC"], "HTTP+JSON", 0]);
});

test("the ports of agents may be left to the system, and be on other hosts' ports", () => {
  const text = `listen: 127.0.0.1:8080
ops: { listen: "[::1]:9001" }
agents:
  a: { name: A, description: "", static: {}, port: 0 }
  b: { name: B, description: "", static: {}, port: 0 }
  c: { name: C, description: "", static: {}, port: 9001 }
`;
  assert.deepEqual(problemsOf(text), []);
});

const FAULTS: readonly (readonly [title: string, text: string, problem: string])[] = [
  [
    "an unknown form of cards",
    `cards: { unversioned: 2.0 }\n${ECHO}`,
    "config.yaml:1:23: cards.unversioned: expected one of hybrid, 1.0, 0.3, got 2",
  ],
  [
    "an unknown binding",
    agentWith("v03: [REST]"),
    'config.yaml:2:52: agents.a.v03[0]: expected one of JSONRPC, HTTP+JSON, GRPC, got "REST"',
  ],
  [
    "an unknown preferred binding",
    agentWith("preferredBinding: grpc"),
    'config.yaml:2:64: agents.a.preferredBinding: expected one of JSONRPC, HTTP+JSON, GRPC, got "grpc"',
  ],
  [
    "a port that is none",
    agentWith("port: 65536"),
    "config.yaml:2:52: agents.a.port: expected a whole number from 0 to 65535, got 65536",
  ],
  [
    "an own URL without an own port",
    agentWith("publicUrl: https://h"),
    'config.yaml:2:57: agents.a.publicUrl: expected only beside port, got "https://h"',
  ],
  [
    "the port of all agents",
    agentWith("port: 8080"),
    "config.yaml:2:52: agents.a.port: port 8080 is taken by listen",
  ],
  [
    "the port of operations",
    agentWith("port: 9090"),
    "config.yaml:2:52: agents.a.port: port 9090 is taken by ops.listen",
  ],
  [
    "the port of gRPC, on every interface",
    `grpcListen: 0.0.0.0:9001\n${agentWith("port: 9001")}`,
    "config.yaml:3:52: agents.a.port: port 9001 is taken by grpcListen",
  ],
  [
    "another agent's port",
    `${agentWith("port: 9001")}  b: { name: B, description: "", static: {}, port: 9001 }\n`,
    "config.yaml:3:52: agents.b.port: port 9001 is taken by agents.a.port",
  ],
  [
    "the port of all agents for gRPC alone",
    `grpcListen: 127.0.0.1:8080\n${ECHO}`,
    "config.yaml:1:13: grpcListen: port 8080 is taken by listen",
  ],
  [
    "the port of all agents for operations",
    `listen: 0.0.0.0:9090\n${ECHO}`,
    "config.yaml:1:1: ops.listen: port 9090 is taken by listen",
  ],
  [
    "a binding twice",
    agentWith("v03: [JSONRPC, GRPC, JSONRPC]"),
    'config.yaml:2:67: agents.a.v03[2]: expected a binding that is not in the list already, got "JSONRPC"',
  ],
  [
    "a signing key without a name",
    `cards: { signing: [{ file: k.pem }] }\n${ECHO}`,
    "config.yaml:1:20: cards.signing[0].kid: missing, expected text",
  ],
  [
    "two signing keys of one name",
    `cards: { signing: [{ file: a, kid: k }, { file: b, kid: k }] }\n${ECHO}`,
    'config.yaml:1:57: cards.signing[1].kid: expected a name that no other key has, got "k"',
  ],
  [
    "a proxy by name",
    `trustedProxies: [proxy]\n${ECHO}`,
    'config.yaml:1:18: trustedProxies[0]: expected an IP address or a network such as 10.0.0.0/8, got "proxy"',
  ],
  [
    "a URL for a host",
    `allowedHosts: ["https://h"]\n${ECHO}`,
    'config.yaml:1:16: allowedHosts[0]: expected a host such as agents.example.com, got "https://h"',
  ],
  [
    "a default that is no truth value",
    `v03: { grpcBlockingDefault: maybe }\n${ECHO}`,
    'config.yaml:1:29: v03.grpcBlockingDefault: expected true or false, got "maybe"',
  ],
];

for (const [title, text, problem] of FAULTS)
  test(`${title} is refused with its place`, () => assert.deepEqual(problemsOf(text), [problem]));

test("a port that is taken is refused under the name of the variable that sets it", () => {
  assert.deepEqual(problemsOf(ECHO, { A2A_GATEWAY_OPS_LISTEN: "127.0.0.1:8080" }), [
    "A2A_GATEWAY_OPS_LISTEN: ops.listen: port 8080 is taken by listen",
  ]);
});

test("a key file that cannot be used is told with its place", () => {
  const text = `cards: { signing: [{ file: a.pem, kid: k }] }\n${ECHO}`;
  const config = parseConfig(text, "config.yaml", {});
  assert.deepEqual(signingKeyProblem(config, ["cards", "signing", 0], new Error("no such file")), {
    where: "config.yaml:1:28",
    path: "cards.signing[0].file",
    what: "no such file",
  });
});
