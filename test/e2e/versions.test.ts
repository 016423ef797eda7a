/** Which version a request is in, and who offers it where: one rule on all doors. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDoors, refused, type Door } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { olderGrpc, OlderRefusal, olderRest, olderRpc } from "../support/older-doors.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";

const handler = new ScriptedHandler(says(completed));
let gateway: RunningGateway;

before(async () => {
  const agent = (v03: readonly string[]) => ({ handler, settings: { v03 } });
  gateway = await runGateway({
    agents: {
      both: { handler },
      newest: agent([]),
      rpc: agent(["JSONRPC"]),
      rest: agent(["HTTP+JSON"]),
      grpc: agent(["GRPC"]),
    },
  });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: readonly { readonly metadata?: Record<string, string> }[];
}

async function rpcError(body: object, headers: Record<string, string>): Promise<RpcError> {
  const { text } = await sendHttp(gateway.port, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  });
  const { error } = JSON.parse(text) as { error?: RpcError };
  assert(error, text);
  return error;
}

async function codeOf(answer: Promise<unknown>): Promise<number> {
  const thrown: unknown = await answer.then(
    (value) => assert.fail(`no error: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert(thrown instanceof OlderRefusal, String(thrown));
  return thrown.code;
}

const V10 = { "a2a-version": "1.0" };
const V03 = { "a2a-version": "0.3" };

describe("the header against the shape", () => {
  for (const version of ["1.0", "1.0.1", " 1.0 ", ""])
    test(`a 1.0 request may name version ${JSON.stringify(version)}`, async () => {
      for (const door of gateway.doors)
        assert.deepEqual(
          (await door.call("listTasks", {}, { headers: { "a2a-version": version } }))["tasks"],
          [],
        );
    });

  for (const version of ["0.3", "0.3.0", "2.0", "1", "x"])
    test(`a 1.0 request that names version ${version} is told what is supported`, async () => {
      const named = { headers: { "a2a-version": version } };
      for (const door of gateway.doors) {
        const refusal = await refused(
          door,
          door.call("listTasks", {}, named),
          "VERSION_NOT_SUPPORTED",
        );
        const info = refusal.detail("google.rpc.ErrorInfo");
        assert.deepEqual(info?.["metadata"], { supportedVersions: "1.0,0.3" });
      }
    });

  test("a 0.3 request may name version 0.3 or none, and no other", async () => {
    const [rpc, rest, grpc] = [
      olderRpc(gateway.port),
      olderRest(gateway.port),
      olderGrpc(gateway.port),
    ];
    try {
      for (const headers of [{}, V03, { "a2a-version": "0.3.0" }]) {
        assert.equal(await codeOf(rpc.call("tasks/get", { id: "none" }, headers)), -32001);
        assert.equal(await codeOf(rest.call("GET", "/tasks/none", undefined, headers)), 404);
        assert.equal(await codeOf(grpc.call("GetTask", { name: "tasks/none" }, headers)), 5);
      }
      assert.equal(await codeOf(rpc.call("tasks/get", { id: "none" }, V10)), -32004);
      assert.equal(await codeOf(rest.call("GET", "/tasks/none", undefined, V10)), 400);
      const refusal = grpc.call("GetTask", { name: "tasks/none" }, V10);
      await assert.rejects(refusal, /1\.0, 0\.3/);
    } finally {
      grpc.close();
    }
  });

  test("the query names a version as well as the header", async () => {
    const ask = (version: string) =>
      sendHttp(gateway.port, { path: `/tasks?A2A-Version=${version}` });
    assert.equal((await ask("1.0")).status, 200);
    assert.equal((await ask("0.3")).status, 400);
  });
});

describe("a method of no version", () => {
  for (const method of ["message/Send", "tasks/sendSubscribe", "tasks/send", "tasks/list", "x"]) {
    test(`${method} is not found, in the version that the caller names`, async () => {
      const newer = await rpcError({ method }, V10);
      assert.equal(newer.code, -32601);
      assert(newer.data);
      for (const headers of [{}, V03]) {
        const older = await rpcError({ method }, headers);
        assert.equal(older.code, -32601);
        assert.equal(older.data, undefined);
      }
    });
  }

  test("no method at all is an invalid request", async () => {
    assert.equal((await rpcError({}, {})).code, -32600);
    assert.equal((await rpcError({}, V10)).code, -32600);
  });

  test("version 0.3 has no list of tasks", async () => {
    assert.equal(await codeOf(olderRest(gateway.port).call("GET", "/tasks")), 404);
  });
});

describe("an agent that offers 0.3 on some bindings", () => {
  const offers = async (agent: string): Promise<readonly boolean[]> => {
    const grpc = olderGrpc(gateway.port);
    const base = `/a2a/${agent}`;
    const codes = [
      await codeOf(olderRpc(gateway.port, base).call("tasks/get", { id: "none" })),
      await codeOf(olderRest(gateway.port, base).call("GET", "/tasks/none")),
      await codeOf(grpc.call("GetTask", { name: "tasks/none" }, { "a2a-agent": agent })),
    ];
    grpc.close();
    return codes.map((code, index) => {
      const [found, refusedWith] = [[-32001, 404, 5][index], [-32004, 400, 12][index]];
      assert(code === found || code === refusedWith, `${agent} ${index}: ${code}`);
      return code === found;
    });
  };

  for (const [agent, expected] of [
    ["both", [true, true, true]],
    ["newest", [false, false, false]],
    ["rpc", [true, false, false]],
    ["rest", [false, true, false]],
    ["grpc", [false, false, true]],
  ] as const)
    test(`${agent} answers 0.3 where it offers it, and refuses it elsewhere`, async () => {
      assert.deepEqual(await offers(agent), expected);
      const doors: readonly Door[] = openDoors(gateway.port, agent);
      for (const door of doors) {
        assert.deepEqual((await door.call("listTasks", {}))["tasks"], []);
        door.close();
      }
    });
});
