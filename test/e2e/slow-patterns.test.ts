/** Texts on which a careless pattern takes for ever: whoever sends one gets an answer, and nobody else waits for it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { messageOf } from "./requests.ts";

let gateway: RunningGateway;
before(async () => {
  gateway = await runGateway({
    agents: {
      rules: {
        settings: {
          static: {
            rules: [{ when: { regex: "^(a+)+$" }, message: "found" }],
            otherwise: { message: "not found" },
          },
        },
      },
    },
    settings: {
      trustedProxies: ["127.0.0.1"],
      allowedHosts: ["gateway.example"],
      cors: { origins: ["https://app.example"] },
      ops: { listen: "127.0.0.1:0", token: "the-token" },
      access: {
        mode: "optional",
        authenticators: [
          { apiKey: { in: "cookie", name: "key", keys: [] } },
          { basic: { users: [] } },
          {
            introspection: {
              url: "http://127.0.0.1:9/",
              clientId: "us",
              clientSecret: "s",
              audience: false,
            },
          },
        ],
        policies: [{ who: { claims: { a: "a" } } }, { who: { anonymous: true } }],
      },
    },
  });
});
after(() => gateway.stop());

/** Long beginnings of what might be meant, which never come to their end. */
const N = 10_000;
const ENDLESS: readonly string[] = [
  "a".repeat(N),
  `"${"a".repeat(N)}`,
  `"${"\\".repeat(N)}`,
  `"${"\\a".repeat(N / 2)}`,
  " ".repeat(N),
  `a${" ".repeat(N)}b`,
  "a,".repeat(N / 2),
  `a=${"a".repeat(N)}"`,
  'a="a";'.repeat(N / 6),
  "/".repeat(N),
  "..".repeat(N / 2),
  "a.".repeat(N / 2),
  "1".repeat(N),
  "0:".repeat(N / 2),
  "%25".repeat(N / 3),
  '"",'.repeat(N / 3),
  "=".repeat(N),
  "-".repeat(N),
];

const HEADERS: readonly (readonly [name: string, before: string])[] = [
  ["Host", ""],
  ["Forwarded", ""],
  ["Forwarded", "for="],
  ["Forwarded", "host="],
  ["X-Forwarded-For", ""],
  ["X-Forwarded-Host", ""],
  ["X-Forwarded-Proto", ""],
  ["Authorization", "Bearer "],
  ["Authorization", "Basic "],
  ["Authorization", ""],
  ["Cookie", ""],
  ["Cookie", "key="],
  ["Origin", ""],
  ["Accept", ""],
  ["Content-Type", ""],
  ["If-None-Match", ""],
  ["If-Modified-Since", ""],
  ["A2A-Version", ""],
  ["A2A-Extensions", ""],
  ["Last-Event-ID", ""],
  ["X-Request-Id", ""],
];

const SOON_MS = 2_000;

async function soon(what: string, ask: () => Promise<{ readonly status: number }>): Promise<void> {
  const start = performance.now();
  const { status } = await ask();
  const ms = performance.now() - start;
  assert.ok(status >= 200 && status <= 504, `${what}: ${status}`);
  assert.ok(ms < SOON_MS, `${what}: ${ms} ms`);
}

for (const [name, first] of HEADERS)
  test(`${name}: ${first}… is read in time, whatever it is`, async () => {
    for (const endless of ENDLESS) {
      const headers = { [name]: first + endless };
      const what = `${name}: ${first}${endless.slice(0, 8)}`;
      for (const path of ["/.well-known/agent-card.json", "/a2a", "/tasks"])
        await soon(`${what} at ${path}`, () => sendHttp(gateway.port, { path, headers }));
      const ops = Number(new URL(gateway.opsUrl).port);
      await soon(`${what} to operators`, () => sendHttp(ops, { path: "/admin/agents", headers }));
    }
  });

test("paths and queries are read in time, whatever they are", async () => {
  for (const endless of ENDLESS) {
    const text = endless.replaceAll(" ", "%20").replaceAll('"', "%22").replaceAll("\\", "%5C");
    for (const path of [
      `/${text}`,
      `/a2a/${text}`,
      `/a2a/rules/tasks/${text}`,
      `/tasks?pageToken=${text}`,
      `/a2a?q=${text}`,
    ])
      await soon(path.slice(0, 30), () => sendHttp(gateway.port, { path }));
  }
});

test("fields of requests are read in time, whatever they hold", async () => {
  const message = messageOf("hi");
  for (const endless of ENDLESS)
    for (const body of [
      { ...message, message: { ...(message as { message: object }).message, contextId: endless } },
      {
        message: {
          messageId: endless,
          role: endless,
          parts: [{ raw: endless, mediaType: endless }],
        },
      },
      {
        message: { messageId: "m", role: "ROLE_USER", parts: [{ url: endless }] },
        configuration: { acceptedOutputModes: [endless] },
      },
      {
        message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
        configuration: {
          taskPushNotificationConfig: { url: `https://${endless}`, token: endless },
        },
      },
    ])
      await soon(endless.slice(0, 10), () =>
        sendHttp(gateway.port, {
          method: "POST",
          path: "/message:send",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
});

test("a rule that would take for ever refuses the message, and the agent goes on", async () => {
  const send = (text: string) =>
    sendHttp(gateway.port, {
      method: "POST",
      path: "/message:send",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(messageOf(text)),
    });
  const start = performance.now();
  const refused = await send(`${"a".repeat(9_000)}!`);
  assert.ok(performance.now() - start < SOON_MS);
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /takes too long/);
  assert.match((await send("aaa")).text, /"found"/);
  assert.match((await send("b")).text, /"not found"/);
});
