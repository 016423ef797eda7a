import assert from "node:assert/strict";
import { test } from "node:test";
import { accessCautions } from "../src/cautions.ts";
import { parseConfig } from "../src/config/load.ts";

const AGENTS = 'agents: { a: { name: A, description: "", static: {} } }\n';
const TLS = "cert: c.pem, key: k.pem, clientCa: ca.pem";
const MTLS =
  "access: { mode: required, authenticators: [{ mtls: { principals: [{ cn: a }] } }] }\n";

const OPEN = /^x:1:\d+ access\.mode is off: .* (0\.0\.0\.0|10\.0\.0\.1)$/;
const BLIND = /^x:1:\d+ no listener asks for certificates mtls$/;

const warned: readonly (readonly [title: string, settings: string, warning: RegExp])[] = [
  ["others reach a gateway that asks nobody", "listen: 0.0.0.0:8080\n", OPEN],
  ["others reach its port for gRPC alone", "grpcListen: 10.0.0.1:9000\n", OPEN],
  [
    "callers may leave out their certificates",
    `listen: 0.0.0.0:8080\ntls: { ${TLS}, clientCertificates: optional }\n`,
    OPEN,
  ],
  [
    "a policy names an agent that is not there",
    "access: { mode: required, authenticators: [{ apiKey: { in: header, name: k } }], policies: [{ who: { scopes: [s] }, agents: [b] }] }\n",
    /^x:1:\d+ a policy names an agent that is not configured b$/,
  ],
  [
    "a policy is for callers without credentials, and those are refused",
    anonymousWhere("required"),
    /^x:1:\d+ a policy is for callers that are refused anonymous$/,
  ],
  ["no listener speaks TLS where certificates tell who calls", MTLS, BLIND],
  [
    "no listener asks for certificates where they tell who calls",
    `${MTLS}tls: { cert: c.pem, key: k.pem }\n`,
    BLIND,
  ],
];

for (const [title, settings, warning] of warned)
  test(`there is a warning when ${title}`, () => {
    const [first = "", ...others] = warningsOf(settings);
    assert.match(first, warning);
    assert.deepEqual(others, []);
  });

const quiet: readonly (readonly [title: string, settings: string])[] = [
  ["only this machine reaches a gateway that asks nobody", ""],
  ["TLS lets nobody in without a certificate", `listen: 0.0.0.0:8080\ntls: { ${TLS} }\n`],
  [
    "everybody is asked",
    "listen: 0.0.0.0:8080\naccess: { mode: required, authenticators: [{ apiKey: { in: header, name: k } }] }\n",
  ],
  ["callers without credentials are let in and have a policy", anonymousWhere("optional")],
  [
    "callers without credentials are denied what they do not get to ask for",
    anonymousWhere("required", "effect: deny"),
  ],
  ["the operations port alone asks for certificates", `${MTLS}ops: { tls: { ${TLS} } }\n`],
];

for (const [title, settings] of quiet)
  test(`there is no warning when ${title}`, () => {
    assert.deepEqual(warningsOf(settings), []);
  });

function anonymousWhere(mode: string, effect = "effect: allow"): string {
  return `access: { mode: ${mode}, authenticators: [{ apiKey: { in: header, name: k } }], policies: [{ who: { anonymous: true }, ${effect} }] }\n`;
}

function warningsOf(settings: string): readonly string[] {
  const cautions = accessCautions(parseConfig(settings + AGENTS, "x", {}));
  return cautions.map(({ where, text, about }) => `${where} ${text} ${about}`);
}
