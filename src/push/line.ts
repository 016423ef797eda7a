/** Lanes in the order in which they get places, and those that wait until their share of the places has room. */
import { ChurningMap } from "../core/churning-map.ts";
import type { Lane } from "./lane.ts";
import type { Share } from "./shares.ts";

export class Line {
  readonly #lanes: Lane[] = [];
  /** By the name of the share that they wait for. */
  readonly #stalled = new ChurningMap<Lane[]>();

  /** Does nothing for a lane that is here already, that nothing waits in, or that has all that it may have. */
  add(lane: Lane): void {
    const isReady = lane.waiting.length > 0 && lane.running < lane.limit;
    if (lane.turn !== undefined || !isReady) return;
    lane.turn = "inLine";
    this.#lanes.push(lane);
  }

  /** Takes out the lane whose turn it is. */
  next(): Lane | undefined {
    const lane = this.#lanes.shift();
    if (lane !== undefined) lane.turn = undefined;
    return lane;
  }

  /** Sets the lane aside until a place of the share is given back. */
  stall(lane: Lane, { name }: Share): void {
    lane.turn = "stalled";
    const others = this.#stalled.get(name);
    if (others === undefined) this.#stalled.set(name, [lane]);
    else others.push(lane);
  }

  /** To be called when places of these were given back: whoever waited for one gets in line again. */
  resume(shares: readonly Share[]): void {
    for (const { name } of shares) {
      const lanes = this.#stalled.get(name);
      if (lanes === undefined) continue;
      this.#stalled.delete(name);
      for (const lane of lanes) {
        lane.turn = undefined;
        this.add(lane);
      }
    }
  }
}
