import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOfKey } from "../../src/access/api-key/key.ts";
import { ownerOf } from "../../src/core/owner.ts";
import type { AuthenticatorSettings } from "../../src/access/settings.ts";
import { accessBy, basic, bearer, refusalOf, request } from "./support/access.ts";
import { cheapHash } from "./support/passwords.ts";

const KEY = "a static key, long enough to be one";
const API_KEY: AuthenticatorSettings = {
  apiKey: {
    in: "header",
    name: "X-Key",
    keys: [{ hash: hashOfKey(KEY), principal: { id: "keyed" } }],
  },
};
const BASIC: AuthenticatorSettings = {
  basic: { users: [{ username: "alice", hash: cheapHash("secret") }] },
};
const JWT: AuthenticatorSettings = {
  jwt: { issuer: "https://issuer.example", audience: "us", jwks: "https://issuer.example/keys" },
};
const OIDC: AuthenticatorSettings = {
  oidc: { issuer: "https://other.example", audience: "us", tenant: "other" },
};
const MTLS: AuthenticatorSettings = { mtls: { principals: [{ cn: "*" }] } };

const KEY_CHALLENGE = 'ApiKey realm="a2a-gateway", in="header", name="X-Key"';
const BASIC_CHALLENGE = 'Basic realm="a2a-gateway", charset="UTF-8"';
const BEARER_CHALLENGE = 'Bearer realm="a2a-gateway"';

test("a caller without credentials is told all ways to be let in, and of no error", async () => {
  const access = await accessBy([API_KEY, BASIC, JWT, OIDC, MTLS]);
  assert.deepEqual(await refusalOf(access, request()), {
    reason: "UNAUTHENTICATED",
    message: "credentials are needed",
    challenges: [
      KEY_CHALLENGE,
      BASIC_CHALLENGE,
      BEARER_CHALLENGE,
      'ClientCertificate realm="a2a-gateway"',
    ],
    retryAfter: undefined,
  });
});

test("the first authenticator that finds its kind of credentials decides", async () => {
  const access = await accessBy([API_KEY, BASIC]);
  const headersOf = (key: string) => ({ ...basic("alice", "secret").headers, "x-key": key });
  assert.equal((await access.authenticate(basic("alice", "secret"))).id, "alice");
  assert.equal((await access.authenticate(request({ headers: headersOf(KEY) }))).id, "keyed");
  const refusal = await refusalOf(access, request({ headers: headersOf("wrong") }));
  assert.equal(refusal.message, "the api key is not valid");
});

test("an Authorization header that nobody takes is refused, even where credentials are optional", async () => {
  const access = await accessBy([BASIC, JWT], { mode: "optional" });
  const opaque = await refusalOf(access, bearer("opaque"));
  assert.equal(opaque.reason, "UNAUTHENTICATED");
  assert.deepEqual(opaque.challenges, [
    BASIC_CHALLENGE,
    `${BEARER_CHALLENGE}, error="invalid_token", ` +
      'error_description="the authorization header has nothing that is taken here"',
  ]);
  for (const authorization of ["Digest abc", "", "Basically"]) {
    const refusal = await refusalOf(access, request({ headers: { authorization } }));
    assert.deepEqual(refusal.challenges, [BASIC_CHALLENGE, BEARER_CHALLENGE]);
  }
});

test("where no authenticator reads the Authorization header, it does not matter", async () => {
  const access = await accessBy([API_KEY], { mode: "optional" });
  const headers = { authorization: "Bearer for-the-agent" };
  assert.equal((await access.authenticate(request({ headers }))).method, "anonymous");
  headers.authorization = "";
  assert.equal((await access.authenticate(request({ headers }))).method, "anonymous");
});

test("no two anonymous callers own the same, unless they are to share", async () => {
  const isolated = await accessBy([API_KEY], { mode: "optional" });
  const owners = [await isolated.authenticate(request()), await isolated.authenticate(request())];
  assert.deepEqual(
    owners.map((each) => ownerOf(each, "none")),
    ["/anonymous/id-1", "/anonymous/id-2"],
  );

  const shared = await accessBy([API_KEY], { mode: "optional", anonymous: "shared" });
  const [one, two] = [await shared.authenticate(request()), await shared.authenticate(request())];
  assert.deepEqual([ownerOf(one, "none"), ownerOf(two, "none")], ["/anonymous", "/anonymous"]);
});

test("where access is off nobody is asked, whatever they bring", async () => {
  const access = await accessBy([API_KEY, BASIC], { mode: "off" });
  const principal = await access.authenticate(request({ headers: { "x-key": "wrong" } }));
  assert.deepEqual([ownerOf(principal, "none"), principal.method], ["", "none"]);
});

test("refused credentials are in the log with the reason, and without what was sent", async () => {
  const access = await accessBy([BASIC]);
  await refusalOf(access, basic("alice", "guessed"));
  const [line] = access.log.lines;
  assert.deepEqual(line, {
    level: "info",
    message: "credentials refused",
    fields: {
      method: "basic",
      address: "192.0.2.1",
      why: "the user name or the password is wrong",
    },
  });
});

const introspection = {
  url: "https://issuer.example/introspect",
  clientId: "us",
  clientSecret: "secret",
  audience: "us",
};

const faulty: readonly {
  readonly title: string;
  readonly authenticators: readonly AuthenticatorSettings[];
  readonly path: string;
}[] = [
  { title: "no authenticators", authenticators: [], path: "authenticators" },
  { title: "two that read the same", authenticators: [BASIC, BASIC], path: "authenticators[1]" },
  {
    title: "two that read the same header",
    authenticators: [API_KEY, { apiKey: { in: "header", name: "x-KEY" } }],
    path: "authenticators[1]",
  },
  {
    title: "two for the tokens of one issuer",
    authenticators: [JWT, { oidc: { issuer: "https://issuer.example", audience: "others" } }],
    path: "authenticators[1]",
  },
  {
    title: "two issuers whose callers could name each other's",
    authenticators: [JWT, { introspection }],
    path: "authenticators[1].introspection.tenant",
  },
  {
    title: "a tenant of two kinds",
    authenticators: [{ introspection: { ...introspection, tenant: "a", tenantClaim: "b" } }],
    path: "authenticators[0].introspection.tenant",
  },
  {
    title: "an issuer that is no address",
    authenticators: [{ oidc: { issuer: "issuer", audience: "us" } }],
    path: "authenticators[0].oidc.issuer",
  },
  {
    title: "an address that is none",
    authenticators: [{ introspection: { ...introspection, url: "file:///etc/passwd" } }],
    path: "authenticators[0].introspection.url",
  },
  {
    title: "an empty secret",
    authenticators: [{ introspection: { ...introspection, clientSecret: "" } }],
    path: "authenticators[0].introspection.clientSecret",
  },
  {
    title: "a secret in a file that is not there",
    authenticators: [{ introspection: { ...introspection, clientSecret: { file: "missing" } } }],
    path: "authenticators[0].introspection.clientSecret.file",
  },
  {
    title: "a key set in a file that is not there",
    authenticators: [{ jwt: { issuer: "i", audience: "us", jwks: "missing.json" } }],
    path: "authenticators[0].jwt.jwks",
  },
  {
    title: "a certificate's name with two stars",
    authenticators: [{ mtls: { principals: [{ dns: "*.*.example" }] } }],
    path: "authenticators[0].mtls.principals[0].dns",
  },
];

for (const { title, authenticators, path } of faulty)
  test(`${title} is refused at the start, with the place where it stands`, async () => {
    await assert.rejects(accessBy(authenticators), { name: "SettingError", path });
  });
