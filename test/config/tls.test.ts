import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { TlsConfig } from "../../src/config/tls.ts";

const AGENT = "name: A, description: a, static: {}";

function tlsOf(text: string): TlsConfig | undefined {
  return parseConfig(`tls: ${text}\nagents: { a: { ${AGENT} } }`, "c.yaml", {}).tls;
}

function refused(text: string): string {
  try {
    parseConfig(text, "c.yaml", {});
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message;
    throw thrown;
  }
  return assert.fail("it was taken");
}

test("TLS takes a certificate and a key, and asks callers for none", () => {
  assert.deepEqual(tlsOf("{ cert: c.pem, key: k.pem }"), {
    cert: "c.pem",
    key: "k.pem",
    minVersion: "TLSv1.2",
    clientCertificates: "off",
    hsts: undefined,
  });
});

test("versions are read with and without quotes, and a duration for HSTS", () => {
  assert.equal(tlsOf("{ cert: c, key: k, minVersion: 1.3 }")?.minVersion, "TLSv1.3");
  assert.equal(tlsOf('{ cert: c, key: k, minVersion: "1.2" }')?.minVersion, "TLSv1.2");
  assert.equal(tlsOf("{ cert: c, key: k, hsts: 180d }")?.hsts, 180 * 86_400_000);
});

test("authorities are named by whoever wants certificates of them", () => {
  const required = tlsOf("{ cert: c, key: k, clientCa: ca.pem }");
  assert.equal(required?.clientCertificates, "required");
  const off = tlsOf("{ cert: c, key: k, clientCa: ca.pem, clientCertificates: off }");
  assert.equal(off?.clientCertificates, "off");
});

for (const [text, problem] of [
  [`tls: { cert: c }\nagents: { a: { ${AGENT} } }`, /tls\.key: missing, expected text/],
  [
    `tls: { cert: c, key: k, minVersion: 1.1 }\nagents: { a: { ${AGENT} } }`,
    /tls\.minVersion: expected 1\.2 or 1\.3/,
  ],
  [
    `tls: { cert: c, key: k, clientCertificates: required }\nagents: { a: { ${AGENT} } }`,
    /tls\.clientCertificates: expected only beside clientCa/,
  ],
  [
    `ops: { tls: { cert: c, key: k, hsts: often } }\nagents: { a: { ${AGENT} } }`,
    /ops\.tls\.hsts: expected a duration such as 180d, or off/,
  ],
  [
    `agents: { a: { ${AGENT}, tls: { cert: c, key: k } } }`,
    /agents\.a\.tls: expected only beside port/,
  ],
] as const)
  test(`a configuration is refused: ${problem.source}`, () => assert.match(refused(text), problem));
