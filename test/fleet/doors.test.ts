/** Doors that have begun to close open no more. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Closers } from "../../src/closers.ts";
import { parseConfig } from "../../src/config/load.ts";
import { openDoors, type Doors } from "../../src/doors.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { scriptedService } from "../support/scripted-service.ts";
import { answering, nobodyListens } from "./running.ts";

function doorsFor(t: TestContext): Promise<Doors> {
  const text = JSON.stringify({ listen: "127.0.0.1:0", agents: { one: answering("one") } });
  const closers = new Closers();
  t.after(() => closers.close());
  const none = { card: () => undefined, openApi: () => undefined, keySet: () => undefined };
  return openDoors(
    {
      config: parseConfig(text, "/config.yaml", {}),
      log: new RecordedLog(),
      service: scriptedService({}),
      authenticate: undefined,
      countRequest: undefined,
      directory: { has: () => true, namedByHost: () => undefined, versionsOf: () => ["1.0"] },
      cardsAt: () => none,
      catalogueAt: () => () => ({ body: "{}", etag: '""', maxAge: 0 }),
    },
    closers,
  );
}

const OWN = { port: 0, tls: undefined };
const STOPPING = { reason: "UNAVAILABLE", message: "the gateway is stopping" };

test("doors that are asked for after the others have closed are refused", async (t) => {
  const doors = await doorsFor(t);
  await doors.listen();
  await doors.close(0);
  await assert.rejects(doors.openOwn("one", OWN), STOPPING);
  await nobodyListens();
});

test("doors that are being opened while the others close are closed again", async (t) => {
  const doors = await doorsFor(t);
  await doors.listen();
  const opening = doors.openOwn("one", OWN);
  const refused = assert.rejects(opening, STOPPING);
  await doors.close(0);
  await refused;
  await nobodyListens();
});
