import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Closers } from "../src/closers.ts";
import { parseConfig } from "../src/config/load.ts";
import { startGateway } from "../src/gateway.ts";
import { createLog } from "../src/log.ts";

const log = createLog("silent");

describe("startGateway", () => {
  it("closes what it has opened when a door cannot be opened", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const main = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    const config = parseConfig(
      JSON.stringify({
        listen: `127.0.0.1:${main}`,
        grpcListen: `127.0.0.1:${port}`,
        ops: { listen: "off" },
        database: ":memory:",
        agents: { echo: { name: "E", description: "e", static: { otherwise: { message: "hi" } } } },
      }),
      "test",
      {},
    );
    await assert.rejects(startGateway({ config, log }));
    const again = createServer().listen(main, "127.0.0.1");
    await once(again, "listening");
    await new Promise((resolve) => again.close(resolve));
    await new Promise((resolve) => taken.close(resolve));
  });
});

describe("Closers", () => {
  it("closes everything, last opened first, and throws what failed", async () => {
    const closed: string[] = [];
    const closers = new Closers();
    closers.add(() => void closed.push("store"));
    closers.add(() => {
      throw new Error("stuck");
    });
    closers.add(() => void closed.push("doors"));
    await assert.rejects(closers.close(), AggregateError);
    assert.deepEqual(closed, ["doors", "store"]);
    await closers.close();
  });
});
