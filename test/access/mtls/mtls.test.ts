/** Client certificates over real TLS connections. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CertificateRule } from "../../../src/access/settings.ts";
import { accessBy, bearer, refusalOf, request } from "../support/access.ts";
import { directoryWith } from "../support/directory.ts";
import { newAuthority, presented } from "../support/tls.ts";
import { AUDIENCE, ISSUER, newSigningKey, tokenOf } from "../support/tokens.ts";

const RULES: readonly CertificateRule[] = [
  { uri: "spiffe://acme/agent/one", id: "one", tenant: "acme", scopes: ["send"] },
  { uri: "spiffe://acme/agent/*", tenant: "acme" },
  { dns: "*.agents.example", id: "fleet" },
  { email: "ops@example.com" },
  { cn: "legacy" },
];

test("a certificate is whose a name of it says, by the first rule that fits", async (t) => {
  const authority = await newAuthority(t);
  const access = await accessBy([{ mtls: { principals: RULES } }]);
  const found = async (subject: string, names: string) => {
    const certificate = await presented(authority, await authority.issue(subject, names));
    const { id, tenant, scopes, method } = await access.authenticate(request({ certificate }));
    return [id, tenant, [...scopes], method];
  };
  const one = "URI:spiffe://acme/agent/one";
  assert.deepEqual(await found("/CN=x", one), ["one", "acme", ["send"], "mtls"]);
  assert.deepEqual(await found("/CN=legacy", "URI:spiffe://acme/agent/two,DNS:a.agents.example"), [
    "spiffe://acme/agent/two",
    "acme",
    [],
    "mtls",
  ]);
  assert.deepEqual(await found("/CN=x", "DNS:A.agents.example"), ["fleet", "", [], "mtls"]);
  assert.deepEqual((await found("/CN=x", "email:ops@example.com"))[0], "ops@example.com");
  assert.deepEqual((await found("/CN=legacy", "DNS:other.example"))[0], "legacy");
});

test("a certificate that is nobody's is refused, even where credentials are optional", async (t) => {
  const authority = await newAuthority(t);
  const access = await accessBy([{ mtls: { principals: RULES } }], { mode: "optional" });
  const cases: readonly (readonly [subject: string, names: string])[] = [
    ["/CN=one", "DNS:spiffe://acme/agent/one"],
    ["/CN=legacy2", "DNS:b.a.agents.example"],
    ["/CN=legacy/CN=other", "DNS:agents.example"],
    ["/CN=a.agents.example", "URI:spiffe://acme/agent/"],
    ["/CN=x", "URI:https://x/spiffe://acme/agent/one"],
  ];
  for (const [subject, names] of cases) {
    const certificate = await presented(authority, await authority.issue(subject, names));
    const refusal = await refusalOf(access, request({ certificate }));
    assert.equal(refusal.message, "the client certificate is nobody's that is known", names);
    assert.deepEqual(refusal.challenges, ['ClientCertificate realm="a2a-gateway"']);
  }
});

test("a certificate of an unknown authority is as none, whatever its names", async (t) => {
  const [ours, theirs] = [await newAuthority(t), await newAuthority(t)];
  const access = await accessBy([{ mtls: { principals: RULES } }]);
  const certificate = await presented(ours, await theirs.issue("/CN=legacy", "DNS:a"));
  assert.equal(certificate, undefined);
  const refusal = await refusalOf(access, request({ certificate }));
  assert.equal(refusal.message, "credentials are needed");
});

test("a connection without a certificate has no credentials", async (t) => {
  const authority = await newAuthority(t);
  const access = await accessBy([{ mtls: { principals: RULES } }]);
  const certificate = await presented(authority, undefined);
  assert.equal(certificate, undefined);
  const refusal = await refusalOf(access, request({ certificate }));
  assert.equal(refusal.message, "credentials are needed");
});

test("a token that is bound to a certificate is good on its connection only", async (t) => {
  const authority = await newAuthority(t);
  const key = await newSigningKey("k1");
  const keys = JSON.stringify({ keys: [key.jwk] });
  const baseDir = await directoryWith(t, { "keys.json": keys });
  const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: "keys.json" };
  const access = await accessBy([{ jwt }], { baseDir });
  const own = await authority.issue("/CN=own", "DNS:own");
  const token = await tokenOf(key, { cnf: { "x5t#S256": own.thumbprint } });
  const certificate = await presented(authority, own);
  assert.equal((await access.authenticate(bearer(token, { certificate }))).id, "alice");
  const other = await presented(authority, await authority.issue("/CN=other", "DNS:other"));
  for (const held of [other, undefined]) {
    const refusal = await refusalOf(access, bearer(token, { certificate: held }));
    assert.equal(refusal.message, "the bearer token is bound to another key");
  }
});
