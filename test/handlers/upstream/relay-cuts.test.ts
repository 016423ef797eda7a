/** An artifact in chunks, over a stream that is cut again and again, from agents that take it up in different ways. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Relay } from "../../../src/handlers/upstream/relay.ts";
import type { StreamResponse, Task } from "../../../src/protocol/model.ts";
import {
  artifactOf,
  chunk,
  snapshot,
  taskIn,
  update,
  whole,
} from "../../support/fake-agent/told.ts";
import { turnOf } from "../turns.ts";

/** How an agent goes on for somebody who subscribes. */
type Habit =
  /** With a snapshot, then what comes after it. */
  | "snapshot"
  /** With a snapshot of an earlier time, then all that came after that. */
  | "old snapshot"
  /** With a snapshot of an earlier time, then with what comes now. */
  | "lossy snapshot"
  /** With all from the beginning. */
  | "replay"
  /** With what comes now. */
  | "live";

interface Cut {
  readonly habit: Habit;
  /** How many chunks come before the cut. */
  readonly read: number;
  /** How many chunks nobody reads before somebody subscribes again. */
  readonly missed: number;
  /** How old an old snapshot is, in chunks. */
  readonly age: number;
}

const habits = (...all: readonly Habit[]) => fc.constantFrom(...all);
const cuts = (habit: fc.Arbitrary<Habit>) =>
  fc.array(fc.record({ habit, read: fc.nat(4), missed: fc.nat(2), age: fc.nat(3) }), {
    maxLength: 4,
  });
/** Few letters: what repeats itself is easily mistaken. */
const texts = fc.array(fc.constantFrom("a", "b", "aa", "ab"), { minLength: 1, maxLength: 16 });

/** Each text that was shown of the artifact, of which the last one stays. */
function shownOf(chunks: readonly string[], breaks: readonly Cut[]): string[] {
  const relay = new Relay(turnOf("hi"), { state: "TASK_STATE_SUBMITTED", maxEvents: 1_000 });
  const shown = [""];
  const show = (events: ReturnType<Relay["of"]>): void => {
    for (const event of events) {
      if (event.kind !== "artifact") continue;
      const text = event.artifact.parts.map((part) => part.text ?? "").join("");
      shown.push(event.append ? (shown.at(-1) ?? "") + text : text);
    }
  };
  const until = (count: number): string => chunks.slice(0, count).join("");
  const taskAt = (count: number): Task => {
    const state = count >= chunks.length ? "COMPLETED" : "WORKING";
    return taskIn(state, count === 0 ? {} : { artifacts: [artifactOf("a", until(count))] });
  };
  const eventAt = (index: number): StreamResponse =>
    index === 0 ? whole(chunks[0] ?? "") : chunk(chunks[index] ?? "");

  let position = 0;
  const read = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      show(relay.of(eventAt(index)));
      if (relay.isMissing && index % 3 === 0) show(relay.ofTask(taskAt(Math.max(position, to))));
    }
  };
  const first = breaks[0]?.read ?? chunks.length;
  position = Math.min(first, chunks.length);
  show(relay.of(snapshot("WORKING")));
  read(0, position);
  for (const [number, { habit, missed, age }] of breaks.entries()) {
    const now = Math.min(position + missed, chunks.length);
    const end = Math.min(now + (breaks[number + 1]?.read ?? chunks.length), chunks.length);
    relay.takeUp();
    const old = Math.max(0, now - age);
    const from = {
      snapshot: now,
      "old snapshot": old,
      "lossy snapshot": now,
      replay: 0,
      live: now,
    };
    const at = habit === "snapshot" ? now : old;
    if (habit.endsWith("snapshot"))
      show(relay.of({ task: { ...taskAt(at), status: { state: "TASK_STATE_WORKING" } } }));
    position = end;
    read(from[habit], end);
  }
  if (position < chunks.length) {
    relay.takeUp();
    show(relay.of({ task: taskAt(chunks.length) }));
  } else {
    const last = update("COMPLETED");
    if (relay.endsEarly(last)) show(relay.ofTask(taskAt(chunks.length)));
    else show(relay.of(last));
  }
  return shown;
}

test("in the end all of it is here, and nothing twice", () => {
  const all = habits("snapshot", "old snapshot", "lossy snapshot", "replay", "live");
  fc.assert(
    fc.property(texts, cuts(all), (chunks, breaks) => {
      assert.equal(shownOf(chunks, breaks).at(-1), chunks.join(""));
    }),
    { numRuns: 3_000 },
  );
});

test("on the way nothing is shown that is not so, by an agent that leaves nothing out", () => {
  const careful = habits("snapshot", "replay", "live");
  fc.assert(
    fc.property(texts, cuts(careful), (chunks, breaks) => {
      const truth = chunks.join("");
      for (const shown of shownOf(chunks, breaks)) assert.ok(truth.startsWith(shown), shown);
    }),
    { numRuns: 3_000 },
  );
});
