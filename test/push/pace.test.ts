import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "../../src/push/pace.ts";

function stage({ load }: { load: number }) {
  const process = { at: 1_000_000, load, looks: 0 };
  const pace = new Pace({
    now: () => process.at,
    load() {
      process.looks++;
      return process.load;
    },
  });
  /** Takes what may be taken, for so many milliseconds, of what is due since then. */
  const takenWithin = (milliseconds: number, dueAt?: number): number => {
    let taken = 0;
    for (const end = process.at + milliseconds; process.at < end; process.at += 10) {
      pace.noteEvents();
      const deliveries = pace.allowed();
      pace.noteTaken(deliveries, dueAt ?? process.at);
      taken += deliveries;
    }
    return taken;
  };
  return { process, pace, takenWithin };
}

test("nothing is held up while there is time left", () => {
  const { pace } = stage({ load: 0.5 });
  pace.noteEvents();
  pace.noteTaken(1000, 0);
  assert.equal(pace.allowed(), Infinity);
});

test("nothing is held up where no new events come in", () => {
  const { process, pace } = stage({ load: 1 });
  assert.equal(pace.allowed(), Infinity);
  pace.noteEvents();
  assert.notEqual(pace.allowed(), Infinity);
  process.at += 300;
  assert.equal(pace.allowed(), Infinity);
});

test("where callers need the time, deliveries begin at a low rate after the first few", () => {
  const { takenWithin } = stage({ load: 1 });
  assert.ok(takenWithin(10) <= 64);
  const taken = takenWithin(10_000);
  assert.ok(taken >= 3800 && taken <= 4200, `${taken} in ten seconds`);
});

test("the later they are, the faster they begin", () => {
  const { process, takenWithin } = stage({ load: 1 });
  const early = takenWithin(2_000, process.at);
  const late = takenWithin(2_000, process.at - 20_000);
  assert.ok(late > 5 * early, `${late} after ${early}`);
});

test("one lot that is too large is made up for, within limits", () => {
  const { process, pace } = stage({ load: 1 });
  pace.noteEvents();
  pace.allowed();
  pace.noteTaken(100_000, process.at);
  process.at += 100;
  pace.noteEvents();
  assert.equal(pace.allowed(), 0);
  process.at += 100;
  assert.ok(pace.allowed() > 0);
});

test("nothing is held up for longer when the clock is set back", () => {
  const { process, pace, takenWithin } = stage({ load: 1 });
  takenWithin(1_000);
  process.at -= 600_000;
  assert.ok(takenWithin(1_000) > 100);
  process.load = 0;
  process.at += 50;
  assert.equal(pace.allowed(), Infinity);
});

test("the load is looked at now and then, not at each question", () => {
  const { process, pace } = stage({ load: 0 });
  for (let question = 0; question < 100; question++) {
    pace.noteEvents();
    pace.allowed();
    process.at++;
  }
  assert.equal(process.looks, 2);
});

test("of a process that does nothing else there is time left", async () => {
  const pace = new Pace({ now: Date.now });
  await new Promise((resolve) => setTimeout(resolve, 60));
  pace.noteEvents();
  assert.equal(pace.allowed(), Infinity);
});
