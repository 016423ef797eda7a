/** Names that mean something to file systems, URLs or JavaScript: to every door and to operators they are names like others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Refusal } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp, type HttpAnswer } from "../support/http-client.ts";
import { exchangeBytes } from "../support/raw-socket.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { accessDoors, type AccessDoor } from "./access-doors.ts";
import { adminOf } from "./admin.ts";
import { asking } from "./access-asking.ts";
import { messageOf } from "./requests.ts";

let gateway: RunningGateway;
let doors: readonly AccessDoor[];
const handler = new ScriptedHandler(says(completed));
const unreached = new ScriptedHandler(says(completed));

before(async () => {
  gateway = await runGateway({
    agents: { agent: { handler }, other: { handler: unreached } },
    settings: { ops: { listen: "127.0.0.1:0" }, cors: { origins: ["https://app.example"] } },
  });
  doors = accessDoors(gateway, "agent", "/a2a/agent");
});
after(async () => {
  for (const door of doors) door.close();
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

/** As they stand in a path. */
const IN_PATHS: readonly string[] = [
  "..",
  ".",
  "%2e%2e",
  "%2E",
  "..%2fother",
  "%2e%2e%2fother",
  "agent%2f..%2fother",
  "agent%2fother",
  "%2fother",
  "..%5cother",
  "agent;x=1",
  "agent%3Bx",
  "agent%00",
  "%00",
  "agent%20",
  "%20agent",
  "agent.",
  "Agent",
  "AGENT",
  "%D0%B0gent",
  "agent%EF%BC%8Fother",
  "agent%E2%80%8B",
  "%ef%bd%81gent",
  "a%67ent%0d%0aX-Injected:%201",
  "%",
  "%zz",
  "%ff",
  "%C0%AE%C0%AE",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "undefined",
  "null",
  "x".repeat(8_000),
];

async function ask(
  method: string,
  path: string,
  body?: object,
  port = gateway.port,
): Promise<HttpAnswer> {
  const text = body && JSON.stringify(body);
  const headers = { ...(text && { "content-type": "application/json" }), "a2a-version": "1.0" };
  const answer = await sendHttp(port, {
    method,
    path,
    headers,
    ...(text !== undefined && { body: text }),
  });
  assert.ok(
    answer.status >= 400 && answer.status < 500,
    `${method} ${path}: ${answer.status} ${answer.text}`,
  );
  assert.equal(answer.headers["x-injected"], undefined);
  JSON.parse(answer.text);
  return answer;
}

for (const name of IN_PATHS)
  test(`no agent, task or webhook is at ${name.slice(0, 40)}`, async () => {
    const turns = handler.turns.length;
    const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
    const called = await sendHttp(gateway.port, {
      method: "POST",
      path: `/a2a/${name}`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rpc("SendMessage", messageOf("hi"))),
    });
    assert.match(called.text, /"error"/);
    for (const path of [
      `/a2a/${name}/.well-known/agent-card.json`,
      `/a2a/${name}/.well-known/agent.json`,
      `/a2a/${name}/tasks`,
      `/a2a/${name}/v1/tasks/x`,
      `/${name}/tasks/x/y`,
      `/a2a/agent/tasks/${name}`,
      `/a2a/agent/v1/tasks/${name}`,
      `/tasks/${name}/pushNotificationConfigs/${name}`,
    ])
      await ask("GET", path);
    await ask("POST", `/a2a/${name}/message:send`, messageOf("hi"));
    await ask("POST", `/a2a/agent/tasks/${name}:cancel`, {});
    await ask("DELETE", `/a2a/agent/tasks/x/pushNotificationConfigs/${name}`);
    assert.equal(handler.turns.length, turns);
    assert.equal(unreached.turns.length, 0);
  });

for (const name of IN_PATHS)
  test(`operators find nothing at ${name.slice(0, 40)}`, async () => {
    const port = Number(new URL(gateway.opsUrl).port);
    const agent = { name: "A", description: "", static: {} };
    for (const [method, path, body] of [
      ["GET", `/admin/agents/${name}`],
      ["PUT", `/admin/agents/${name}`, agent],
      ["DELETE", `/admin/agents/${name}`],
      ["POST", `/admin/agents/${name}/disable`],
      ["GET", `/admin/tasks/${name}`],
      ["GET", `/admin/tasks/${name}/events`],
      ["POST", `/admin/tasks/${name}/cancel`],
      ["DELETE", `/admin/keys/${name}`],
      ["POST", `/admin/webhooks/${name}/${name}/pause`],
      ["GET", `/${name}`],
      ["GET", `/admin/${name}`],
    ] as const)
      // Names that are fit for an agent are fit for one.
      if (!(method === "PUT" && /^(constructor|prototype|undefined|null)$/.test(name)))
        await ask(method, path, body, port);
    assert.deepEqual(await adminOf(gateway.opsUrl).ids(), ["agent", "other"]);
  });

test("an agent that is called as members of objects are is one like others", async () => {
  const admin = adminOf(gateway.opsUrl);
  for (const id of ["constructor", "prototype", "undefined", "null"]) {
    await admin.done("PUT", `/agents/${id}`, {
      name: id,
      description: "",
      static: { otherwise: { message: id } },
    });
    const sent = await sendHttp(gateway.port, {
      method: "POST",
      path: `/${id}/message:send`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(messageOf("hi")),
    });
    assert.match(sent.text, new RegExp(`"text":"${id}"`));
    await admin.done("DELETE", `/agents/${id}`);
  }
});

/** As they are. */
const NAMES: readonly string[] = [
  "../other",
  "agent/../other",
  "agent\u0000",
  "agent\r\nX-Injected: 1",
  "АGENT",
  "аgent",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "'; drop table tasks; --",
  "%",
  "_",
  "x".repeat(20_000),
];

describe("in messages", () => {
  for (const name of NAMES)
    test(`no door has a task, a context or a webhook of its own called ${JSON.stringify(name.slice(0, 30))}`, async () => {
      const before = handler.turns.length;
      for (const door of doors)
        for (const operation of ["getTask", "cancelTask", "sendMessage"] as const) {
          // In a path they are tried above.
          if (door.name.startsWith("HTTP") && operation !== "sendMessage") continue;
          for (const way of door.ways.get(operation) ?? []) {
            const { verdict, text } = await way(asking({ task: name }), {});
            assert.match(
              `${verdict} ${text}`,
              /^(not found|other .*(INVALID|32602|not valid|must))/s,
              door.name,
            );
          }
        }
      assert.equal(handler.turns.length, before);
      for (const door of gateway.doors) {
        const tenant = door.call("getTask", { tenant: name, id: "x" });
        await assert.rejects(tenant, Refusal, door.name);
        const answer = await door.call("listTasks", { contextId: name });
        assert.deepEqual(answer["tasks"] ?? [], [], door.name);
      }
    });

  test("members that are called as those of every object stay what they are, through every door", async () => {
    const metadata = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}}}',
    ) as object;
    for (const door of gateway.doors) {
      const request = messageOf("hi") as { message: object };
      const sent = await door.call("sendMessage", {
        message: { ...request.message, metadata },
        metadata,
      });
      const { id } = sent["task"] as { id: string };
      const { history } = await door.call("getTask", { id });
      const [said] = history as { metadata: unknown }[];
      assert.equal(JSON.stringify(said?.metadata), JSON.stringify(metadata), door.name);
      assert.equal(Reflect.get({}, "polluted"), undefined);
      assert.equal(Reflect.get(Object, "polluted"), undefined);
    }
  });
});

test("a target in absolute form means what its path says, whatever its host", async () => {
  const path = "/a2a/agent/.well-known/agent-card.json";
  const plain = await sendHttp(gateway.port, { path });
  for (const target of [
    `http://evil.example${path}`,
    `HTTPS://evil.example:99${path}`,
    `http://user:pass@evil.example${path}`,
    `http://evil.example/${path}`,
    `//evil.example/..${path}`,
    `ftp://evil.example${path}`,
    `http://${path}`,
  ])
    for (const host of [
      "evil.example",
      "evil.example\tx",
      "",
      "a@evil.example",
      "evil.example/agent",
    ]) {
      const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { text, answers } = await exchangeBytes(gateway.port, [request]);
      const [answer] = answers;
      assert.ok(answer, text);
      const [head = ""] = text.split("\r\n\r\n");
      assert.doesNotMatch(head, /evil/, target);
      if (answer.status === 200) assert.equal(answer.body, plain.text);
      else assert.ok(answer.status >= 400 && answer.status < 500, text);
    }
});

test("what callers send comes back in no header", async () => {
  const trick = "evil\u0085Set-Cookie: a=b";
  for (const path of ["/tasks/x", "/a2a/agent", "/a2a", "/.well-known/agent-card.json", "/nothing"])
    for (const name of [
      "x-request-id",
      "a2a-version",
      "a2a-extensions",
      "x-a2a-extensions",
      "origin",
      "access-control-request-headers",
      "if-none-match",
      "authorization",
    ])
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await sendHttp(gateway.port, {
          method,
          path,
          headers: { [name]: trick },
        });
        assert.doesNotMatch(
          JSON.stringify(headers),
          /evil|set-cookie/i,
          `${method} ${path} ${name}`,
        );
      }
});
