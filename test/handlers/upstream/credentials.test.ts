import assert from "node:assert/strict";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { UpstreamConfig } from "../../../src/handlers/upstream/config.ts";
import {
  openCredentials,
  type Credentials,
} from "../../../src/handlers/upstream/credentials/credentials.ts";
import { tlsMaterialOf } from "../../../src/handlers/upstream/credentials/tls-material.ts";
import { SettingError } from "../../../src/setting-error.ts";

type Settings = Pick<UpstreamConfig, "headers" | "auth">;

function open(settings: Settings, baseDir = "/", now = () => 0): Promise<Credentials> {
  return openCredentials(settings, { baseDir, now });
}

test("sends the caller's headers, the configured ones and who the gateway is, later ones on top", async () => {
  const { headersFor } = await open({
    headers: { "X-Tenant": "t", "x-a": "own" },
    auth: { bearer: "secret" },
  });
  const caller = { "x-a": "1", "x-b": "2", authorization: "Bearer caller" };
  assert.deepEqual(await headersFor(caller), {
    "x-a": "own",
    "x-b": "2",
    "x-tenant": "t",
    authorization: "Bearer secret",
  });
});

test("never passes on what describes the caller's connection, body, cookies or version", async () => {
  const { headersFor } = await open({});
  const caller = Object.fromEntries(
    [
      "connection keep-alive te trailer transfer-encoding upgrade proxy-authorization host",
      "content-length content-type content-encoding cookie a2a-version a2a-extensions",
      "x-a2a-extensions grpc-timeout :authority x-trace-bin accept-encoding user-agent",
      "if-none-match last-event-id expect",
    ]
      .join(" ")
      .split(" ")
      .map((name) => [name, "x"]),
  );
  assert.deepEqual(await headersFor({ ...caller, traceparent: "00-1", "x-snow": "\u2603" }), {
    traceparent: "00-1",
  });
});

test("sends a configured cookie", async () => {
  const { headersFor } = await open({ headers: { Cookie: "a=b" } });
  assert.deepEqual(await headersFor({ cookie: "c=d" }), { cookie: "a=b" });
});

for (const [what, auth, header, value] of [
  ["a bearer token", { bearer: "t" }, "authorization", "Bearer t"],
  [
    "a name and a password",
    { basic: { username: "u", password: "pä:s" } },
    "authorization",
    "Basic dTpww6Q6cw==",
  ],
  ["an API key", { apiKey: { name: "X-Key", value: "k" } }, "x-key", "k"],
] as const)
  test(`signs in with ${what}`, async () => {
    const credentials = await open({ auth });
    const sent = await credentials.headersFor({});
    assert.deepEqual(sent, { [header]: value });
    assert.equal(credentials.refused(sent), false);
  });

async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "secret-"));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

test("reads a secret again that is in a file, and keeps the last one while there is none", async (context) => {
  const baseDir = await folder(context);
  const file = join(baseDir, "token");
  await writeFile(file, "one\n");
  let now = 0;
  const { headersFor } = await open({ auth: { bearer: { file: "token" } } }, baseDir, () => now);
  const sent = async () => (await headersFor({}))["authorization"];
  await writeFile(file, "two\n");
  assert.equal(await sent(), "Bearer one");
  now += 1000;
  assert.equal(await sent(), "Bearer two");
  now += 1000;
  await writeFile(file, "");
  assert.equal(await sent(), "Bearer two");
  now += 1000;
  await unlink(file);
  assert.equal(await sent(), "Bearer two");
  now += 1000;
  await writeFile(file, "three");
  assert.equal(await sent(), "Bearer three");
});

for (const [what, settings, path, fault] of [
  ["a file that is not there", { bearer: { file: "no" } }, "auth.bearer.file", "no such file"],
  [
    "a token of two lines",
    { bearer: "a\nb" },
    "auth.bearer",
    "expected one line of printable ASCII characters",
  ],
  [
    "an empty password",
    { basic: { username: "u", password: "" } },
    "auth.basic.password",
    "expected one line of text",
  ],
] as const)
  test(`refuses ${what}`, async (context) => {
    const baseDir = await folder(context);
    await assert.rejects(open({ auth: settings }, baseDir), (thrown) => {
      assert.ok(thrown instanceof SettingError);
      assert.deepEqual([thrown.path, thrown.what], [path, fault]);
      return true;
    });
  });

test("refuses files for TLS that hold something else", async (context) => {
  const baseDir = await folder(context);
  await writeFile(join(baseDir, "x"), "x");
  await assert.rejects(tlsMaterialOf({ cert: "x", key: "x" }, baseDir), {
    message: "tls.cert: expected a certificate in PEM",
  });
  await assert.rejects(tlsMaterialOf({ ca: "no.pem" }, baseDir), {
    message: "tls.ca: no such file",
  });
  assert.deepEqual(await tlsMaterialOf({}, baseDir), {});
});
