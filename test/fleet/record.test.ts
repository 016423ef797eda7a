import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "../../src/agents/registry.ts";
import { AgentRecord } from "../../src/fleet/record.ts";
import { RecordedLog } from "../support/recorded-log.ts";

/** Calls back as many microtasks after `done` as are asked for. */
function callLater(done: Promise<void>, count: number, call: () => void): void {
  void done.then(count === 0 ? call : () => callLater(Promise.resolve(), count - 1, call));
}

for (let count = 0; count < 8; count += 1)
  test(`a change ${count} microtasks after a write has ended is written too`, async () => {
    let written = 0;
    const log = new RecordedLog();
    const record = new AgentRecord({
      registry: new Registry(),
      locationOf: () => assert.fail("there is no agent"),
      store: {
        record() {
          written += 1;
          const done = Promise.resolve();
          if (written === 1) callLater(done, count, () => record.renew());
          return done;
        },
      },
      log,
    });
    record.renew();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    await record.close();
    assert.equal(written, 2);
  });
