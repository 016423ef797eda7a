/** What callers see of the limits on what may run and be kept, on each of the six doors. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Handler } from "../../src/core/ports/handler.ts";
import { deferred } from "../../src/core/deferred.ts";
import { ERRORS, type ErrorReason } from "../../src/protocol/errors.ts";
import { freePort } from "../docs/free-port.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { artifact, inputRequired, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { DOOR_NAMES } from "./door-names.ts";
import { sixDoors, type SixthDoor } from "./six-doors.ts";

/** The code by which a door tells of a reason. */
function codeOf(door: SixthDoor, reason: ErrorReason): number {
  const { jsonrpc, http, grpc } = ERRORS[reason];
  if (door.name.startsWith("JSON-RPC")) return jsonrpc;
  return door.name.startsWith("HTTP") ? http : grpc;
}

async function refused(door: SixthDoor, answer: Promise<unknown>, reason: ErrorReason) {
  await assert.rejects(answer, (thrown: Error & { readonly code?: number }) => {
    assert.equal(thrown.code, codeOf(door, reason), `${door.name}: ${thrown.message}`);
    return true;
  });
}

describe("a quota of one task", () => {
  for (const [index, name] of DOOR_NAMES.entries())
    test(name, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "a2a-quota-"));
      t.after(() => rm(folder, { recursive: true }));
      const setup = {
        folder,
        agents: { one: { handler: new ScriptedHandler(says(inputRequired)) } },
        settings: { limits: { quota: { tasks: 1 } } },
      };
      let gateway = await runGateway(setup);
      let [door, doors] = doorAt(gateway.port, index);
      const { id } = await door.send(saying("first"));
      await refused(door, door.stream(saying("second")).next(), "RATE_LIMITED");
      for (const each of doors) each.close();
      await gateway.stop();

      gateway = await runGateway(setup);
      [door, doors] = doorAt(gateway.port, index);
      await refused(door, door.stream(saying("third")).next(), "RATE_LIMITED");
      assert.equal((await door.get(id)).state, "input-required");
      assert.equal((await door.cancel(id)).state, "canceled");
      for (const each of doors) each.close();
      await gateway.stop();
    });
});

function doorAt(port: number, index: number): [SixthDoor, readonly SixthDoor[]] {
  const doors = sixDoors(port);
  return [doors[index] ?? assert.fail(), doors];
}

test("connections are counted over all ports but that of the operations", async (t) => {
  const grpcPort = await freePort();
  const gateway = await runGateway({
    agents: {
      one: { handler: { handle: () => assert.fail() } },
      own: { handler: { handle: () => assert.fail() }, settings: { port: 0 } },
    },
    settings: {
      grpcListen: `127.0.0.1:${grpcPort}`,
      ops: { listen: "127.0.0.1:0" },
      limits: { connections: { total: 3, perAddress: "off" } },
    },
  });
  t.after(() => gateway.stop());
  const ports = [gateway.port, grpcPort, gateway.ownPorts.get("own") ?? assert.fail()];
  const open = await Promise.all(ports.map(connected));
  for (const port of ports) {
    const refused = await connected(port);
    await once(refused.resume(), "close");
  }
  assert.equal((await fetch(`${gateway.opsUrl}/healthz`)).status, 200);
  const lines = gateway.log.lines.filter(({ message }) => message === "connections refused");
  assert.equal(lines.length, 1);
  for (const socket of open) socket.destroy();
});

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket.on("error", () => undefined);
}

let sent = 0;
const saying = (text: string) => ({ messageId: `m-${++sent}`, text });

describe("one place and one who waits", () => {
  let gateway: RunningGateway;
  let begun = deferred<void>();
  let mayEnd = deferred<void>();
  const handler: Handler = {
    async *handle() {
      begun.resolve();
      await mayEnd.promise;
      yield artifact("done");
    },
  };
  before(async () => {
    gateway = await runGateway({
      agents: { one: { handler, settings: { turns: { running: 1 } } } },
      settings: { limits: { turns: { running: 5, queue: 1 } } },
    });
  });
  after(() => gateway.stop());

  for (const [index, name] of DOOR_NAMES.entries())
    test(name, async () => {
      begun = deferred();
      mayEnd = deferred();
      const doors = sixDoors(gateway.port);
      const door = doors[index] ?? assert.fail();
      const first = door.send(saying("first"));
      await begun.promise;
      // It waits, and is shown as soon as a stream shows anything.
      const stream = door.stream(saying("second"));
      const shown = await stream.next();
      assert.equal(shown.value?.kind === "task" && shown.value.task.state, "submitted");
      await refused(door, door.send(saying("third")), "UNAVAILABLE");
      await refused(door, door.stream(saying("fourth")).next(), "UNAVAILABLE");
      mayEnd.resolve();
      assert.equal((await first).state, "completed");
      const states = [];
      for await (const event of stream) if (event.kind === "status") states.push(event.state);
      assert.equal(states.at(-1), "completed");
      for (const each of doors) each.close();
    });
});
