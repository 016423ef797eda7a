/** Everybody who does something, or may not: the lines of the audit, from every door, operation and reason. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { runGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";
import type { Headers } from "./access-doors.ts";
import { ABOUT_A_TASK } from "./access-requests.ts";
import { asking, begin, saysNothing } from "./access-asking.ts";
import { accessStage, type AccessStage } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";
import { adminOf } from "./admin.ts";

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];
const BINDINGS = new Map([
  ["JSON-RPC", "JSONRPC"],
  ["HTTP+JSON", "HTTP+JSON"],
  ["gRPC", "GRPC"],
]);

type Line = Readonly<Record<string, unknown>>;

let stage: AccessStage;
let folder: string;
let file: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "a2a-audit-"));
  file = join(folder, "audit.log");
  stage = await accessStage({ mode: "required", settings: { audit: { file } } });
});
after(async () => {
  await stage.stop();
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n").map(parsed);
  assert.equal(lines.at(0)?.["operation"], "start");
  assert.equal(lines.at(-1)?.["operation"], "stop");
  await rm(folder, { recursive: true });
});

function parsed(line: string): Line {
  return JSON.parse(line) as Line;
}

/** The lines of a request, once so many are there; lines are written within a tenth of a second. */
async function linesOf(request: string, count = 1): Promise<readonly Line[]> {
  for (;;) {
    const text = await readFile(file, "utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const found = whole.split("\n").filter((line) => line.includes(`"request":"${request}"`));
    if (found.length >= count) return found.map(parsed);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let requests = 0;

/** Headers that name the request, which its line has too. */
function naming(headers: Headers): readonly [request: string, headers: Headers] {
  const request = `audited-${++requests}`;
  return [request, { ...headers, "x-request-id": request }];
}

function doorOf(name: string): Line {
  const [binding = "", version] = name.split(" ");
  return { door: BINDINGS.get(binding), version };
}

/** Without what is different each time. */
function settled({ time, ms: _, context: __, message: ___, ...line }: Line): Line {
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return line;
}

const ALICE = { principal: "alice", tenant: "acme", method: "apiKey" };

for (const name of DOOR_NAMES)
  describe(name, () => {
    for (const operation of OPERATION_NAMES) {
      const expected = (request: string) => ({
        audit: "call",
        request,
        address: "127.0.0.1",
        ...doorOf(name),
        agent: "own",
        operation,
      });

      test(`${operation} that is done is allowed`, async () => {
        for (const way of stage.waysTo(name, operation)) {
          const { task } = await begin(stage, stage.headersOf("alice"));
          const [request, headers] = naming(stage.headersOf("alice"));
          const answer = await way(asking({ task }), headers);
          assert.equal(answer.verdict, "allowed", answer.text);
          const [line = {}, ...more] = await linesOf(request);
          assert.deepEqual(more, []);
          const { task: named, webhook, ...rest } = settled(line);
          assert.deepEqual(rest, { ...expected(request), ...ALICE, decision: "allowed" });
          if (ABOUT_A_TASK[operation]) assert.equal(named, task);
          if (/^(create|get|delete)TaskPush/.test(operation)) assert.equal(webhook, "hook");
        }
      });

      test(`${operation} that a policy denies is denied`, async () => {
        const { task } = await begin(stage, stage.headersOf("alice"));
        for (const way of stage.waysTo(name, operation)) {
          const [request, headers] = naming(stage.headersWithout(operation));
          await way(asking({ task }), headers);
          const [line = {}] = await linesOf(request);
          const who = { principal: `without-${operation}`, tenant: "acme", method: "apiKey" };
          const { task: _, webhook: __, ...rest } = settled(line);
          const denied = { decision: "denied", reason: "FORBIDDEN" };
          assert.deepEqual(rest, { ...expected(request), ...who, ...denied });
        }
      });

      test(`${operation} of somebody unknown is denied, and their key is nowhere`, async () => {
        for (const way of stage.waysTo(name, operation)) {
          const [request, headers] = naming({ authorization: "Bearer a-secret-token" });
          await way(asking({ task: "none" }), headers);
          const [line = {}] = await linesOf(request);
          assert.equal(line["audit"], "authentication");
          assert.equal(line["door"], doorOf(name)["door"]);
          assert.deepEqual([line["decision"], line["reason"]], ["denied", "UNAUTHENTICATED"]);
          assert.equal(line["address"], "127.0.0.1");
          if (!name.startsWith("JSON-RPC")) assert.equal(line["operation"], operation);
        }
      });

      if (ABOUT_A_TASK[operation])
        test(`${operation} of another's task is denied, and says whose it is to nobody else`, async () => {
          const { task } = await begin(stage, stage.headersOf("alice"));
          for (const way of stage.waysTo(name, operation)) {
            const [request, headers] = naming(stage.headersOf("bob"));
            await saysNothing(way, asking({ task }), headers);
            const lines = (await linesOf(request, 2)).toSorted((a) =>
              a["task"] === task ? -1 : 1,
            );
            const [another = {}, unknown = {}] = lines;
            assert.equal(another["task"], task);
            assert.deepEqual(
              [another, unknown].map((line) => [line["decision"], line["reason"], line["owner"]]),
              [
                ["denied", "TASK_NOT_FOUND", "acme/alice"],
                ["failed", "TASK_NOT_FOUND", undefined],
              ],
            );
          }
        });
    }
  });

test("a call of an agent that is not there has its line, with what it was called", async () => {
  const [request, headers] = naming(stage.headersOf("alice"));
  const agent = 'no"\n{"audit":"call"}';
  const path = `/a2a/${encodeURIComponent(agent)}`;
  const body = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}';
  await sendHttp(stage.gateway.port, { method: "POST", path, headers, body });
  const [line = {}] = await linesOf(request);
  assert.equal(line["agent"], agent);
  assert.deepEqual([line["decision"], line["reason"]], ["failed", "METHOD_NOT_FOUND"]);
});

test("a call that a limit refuses is denied", async () => {
  const limited = join(folder, "limited.log");
  const limits = { calls: { principal: { rate: "1/d" } } };
  const other = await runGateway({
    agents: { agent: { handler: new ScriptedHandler(says(completed)) } },
    settings: { audit: { file: limited }, limits },
  });
  for (const expected of [200, 429]) {
    const { status } = await sendHttp(other.port, { path: "/tasks" });
    assert.equal(status, expected);
  }
  await other.stop();
  const calls = (await readFile(limited, "utf8")).trimEnd().split("\n").map(parsed);
  assert.deepEqual(
    calls
      .filter((line) => line["audit"] === "call")
      .map((line) => [line["decision"], line["reason"]]),
    [
      ["allowed", undefined],
      ["denied", "RATE_LIMITED"],
    ],
  );
});

test("whoever may not see the catalogue is denied", async () => {
  const [request, headers] = naming({});
  await sendHttp(stage.gateway.port, { path: "/a2a", headers });
  const [line = {}] = await linesOf(request);
  assert.deepEqual(
    [line["audit"], line["door"], line["decision"]],
    ["authentication", "catalogue", "denied"],
  );
});

describe("operators", () => {
  const told = async (method: string, path: string, body?: unknown): Promise<Line> => {
    const request = `audited-${++requests}`;
    const headers = {
      "x-request-id": request,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const sent = await fetch(`${stage.gateway.opsUrl}/admin${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await sent.text();
    const [line = {}] = await linesOf(request);
    const { request: _, time: __, address, ...rest } = line;
    assert.equal(address, "127.0.0.1");
    return rest;
  };
  const done = { audit: "operator", method: "operator", door: "admin", decision: "allowed" };

  test("agents that come, change and go have their lines", async () => {
    const agent = { name: "New", description: "", static: { otherwise: { message: "hi" } } };
    for (const [method, path, operation, body] of [
      ["PUT", "/agents/new", "putAgent", agent],
      ["POST", "/agents/new/disable", "disableAgent"],
      ["POST", "/agents/new/enable", "enableAgent"],
      ["DELETE", "/agents/new", "deleteAgent"],
    ] as const)
      assert.deepEqual(await told(method, path, body), { ...done, operation, agent: "new" });
    const failed = { ...done, decision: "failed" };
    assert.deepEqual(await told("DELETE", "/agents/new"), {
      ...failed,
      operation: "deleteAgent",
      agent: "new",
      reason: "NOT_FOUND",
    });
  });

  test("keys that are made and revoked have lines with their owner, and without the key", async () => {
    const made = await told("POST", "/keys", { principal: { id: "eve", tenant: "acme" } });
    const { key, ...rest } = made;
    assert.equal(typeof key, "string");
    assert.deepEqual(rest, {
      ...done,
      operation: "createKey",
      holder: "eve",
      holderTenant: "acme",
    });
    assert.deepEqual(await told("DELETE", `/keys/${String(key)}`), {
      ...done,
      operation: "revokeKey",
      key,
    });
    assert.doesNotMatch(await readFile(file, "utf8"), /a2agw_/);
  });

  test("tasks that are cancelled, and webhooks, have theirs", async () => {
    const { task } = await begin(stage, stage.headersOf("alice"));
    const about = { task, webhook: "hook" };
    const path = `/webhooks/${task}/hook`;
    assert.deepEqual(await told("POST", `${path}/pause`), {
      ...done,
      operation: "pauseWebhook",
      ...about,
    });
    assert.deepEqual(await told("POST", `${path}/resume`), {
      ...done,
      operation: "resumeWebhook",
      ...about,
    });
    const redrive = { task, config: "hook", generation: 1 };
    assert.deepEqual(await told("POST", "/deliveries/redrive", redrive), {
      ...done,
      operation: "redriveDeliveries",
      ...about,
      generation: 1,
    });
    assert.deepEqual(await told("POST", `/tasks/${task}/cancel`), {
      ...done,
      operation: "cancelTask",
      task,
    });
  });

  test("whoever a browser sends is denied, and looks have no lines", async () => {
    const request = `audited-${++requests}`;
    const headers = { "x-request-id": request };
    const { port } = new URL(stage.gateway.opsUrl);
    await sendHttp(Number(port), { path: "/admin/agents", headers });
    await sendHttp(Number(port), {
      path: "/admin/agents",
      headers: { ...headers, origin: "https://evil.example" },
    });
    const [line = {}, ...more] = await linesOf(request);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [line["operation"], line["decision"], line["reason"]],
      ["listAgents", "denied", "FORBIDDEN"],
    );
    assert.equal(line["method"], undefined);
  });

  test("a configuration that is read again has its line, and one that cannot be used", async () => {
    const before = (await readFile(file, "utf8")).length;
    await assert.rejects(stage.gateway.reload({ agents: {} }));
    await adminOf(stage.gateway.opsUrl).ask("POST", "/reload");
    for (;;) {
      const lines = (await readFile(file, "utf8")).slice(before).split("\n").filter(Boolean);
      if (lines.length >= 2) {
        assert.deepEqual(
          lines
            .map(parsed)
            .map((line) => [line["audit"], line["operation"], line["decision"], line["reason"]]),
          [
            ["process", "reload", "failed", "invalid"],
            ["operator", "reload", "failed", "INVALID_PARAMS"],
          ],
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});
