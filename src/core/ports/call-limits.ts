/** How much may be asked, which core has counted before it does anything for anybody. */
import type { Call, OperationName } from "../../protocol/service.ts";

/** A token bucket: each call takes a token, so many are there at first and at most, and so many come in a period. */
export interface Rate {
  readonly calls: number;
  /** In which so many come, in milliseconds. */
  readonly period: number;
  readonly burst: number;
}

/** What is counted for one caller or one agent; `off` where there is no limit although others have one. */
export interface CallLimit {
  readonly rate?: Rate | "off";
  /** How many streams may be open at a time. */
  readonly streams?: number | "off";
}

/** A call that its caller may make. */
export interface Entry {
  readonly agent: { readonly id: string; readonly calls: CallLimit | undefined };
  readonly operation: OperationName;
  readonly call: Pick<Call, "principal" | "address" | "tell">;
}

/** What a stream takes up among those that are open. */
export interface StreamSlot {
  /** To be called when the stream has ended, however; safe to call twice. */
  leave(): void;
}

export interface CallLimits {
  /**
   * Counts a call, whatever becomes of it, and tells it what its caller has left. Throws RATE_LIMITED for one too many,
   * which is counted for nobody, and for a stream too many. Of a stream, the slot that it takes; undefined where
   * streams have no limit.
   */
  enter(entry: Entry): StreamSlot | undefined;
}
