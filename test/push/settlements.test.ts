import assert from "node:assert/strict";
import { test } from "node:test";
import { deferred } from "../../src/core/deferred.ts";
import type { Settlement } from "../../src/core/ports/push-store.ts";
import { Alarm } from "../../src/push/alarm.ts";
import { holdClaim, type HeldClaim } from "../../src/push/held-claim.ts";
import { Settlements } from "../../src/push/settlements.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { configOf, deliveryOf } from "./support/parts.ts";

function heldOf(id: string): HeldClaim {
  const claim = { config: configOf("https://a/", { id }), deliveries: [deliveryOf(1)] };
  const guard = { machineOf: (host: string) => host };
  return holdClaim({ ...claim, isFirst: true }, { takenAt: 0, until: 1 }, guard);
}

test("outcomes that come together, or while others are written, are written together", async () => {
  const lots: string[][] = [];
  const firstWritten = deferred<void>();
  const firstBegun = deferred<void>();
  const settled: string[] = [];
  const settlements = new Settlements({
    outbox: {
      settle(lot: readonly Settlement[]) {
        lots.push(lot.map(({ key }) => key.id));
        if (lots.length > 1) return Promise.resolve();
        firstBegun.resolve();
        return firstWritten.promise;
      },
    },
    clock: { now: () => 0 },
    log: new RecordedLog(),
    alarm: new Alarm(),
    onSettled: (held) => settled.push(...held.map(({ key }) => key.id)),
  });
  for (const id of ["a", "b", "c"]) settlements.add(heldOf(id));
  await firstBegun.promise;
  for (const id of ["d", "e"]) settlements.add(heldOf(id));
  assert.deepEqual(settled, []);
  firstWritten.resolve();
  await settlements.close();
  assert.deepEqual(lots, [
    ["a", "b", "c"],
    ["d", "e"],
  ]);
  assert.deepEqual(settled, ["a", "b", "c", "d", "e"]);
});
