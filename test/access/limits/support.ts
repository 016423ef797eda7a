/** Limits whose time a test sets, and calls that they count. */
import type { TestContext } from "node:test";
import { CountedCalls } from "../../../src/access/limits/call-limits.ts";
import type { CallLimitSettings } from "../../../src/access/limits/settings.ts";
import type { CallLimit, Entry, StreamSlot } from "../../../src/core/ports/call-limits.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { UNASKED, type Principal } from "../../../src/protocol/principal.ts";
import type { Quota } from "../../../src/protocol/quota.ts";
import type { OperationName } from "../../../src/protocol/service.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

export interface Asking {
  readonly principal?: Partial<Principal>;
  readonly address?: string;
  readonly agent?: string;
  readonly operation?: OperationName;
  /** What the agent says. */
  readonly calls?: CallLimit;
}

export interface Limits {
  readonly counted: CountedCalls;
  readonly log: RecordedLog;
  /** Milliseconds go by. */
  wait(ms: number): void;
  enter(asking?: Asking): StreamSlot | undefined;
  /** What a call is refused with; undefined for one that is not. */
  refused(asking?: Asking): A2AError | undefined;
  /** How many of so many calls come through. */
  passing(calls: number, asking?: Asking): number;
  /** The same of requests from an address. */
  passingFrom(address: string, requests: number): number;
  /** What callers were told last. */
  readonly told: readonly Quota[];
}

export function limitsOf(t: TestContext, settings: Partial<CallLimitSettings>): Limits {
  let now = 1_000;
  // The clock that the buckets go by. A mock of node:test would keep every call of it.
  Object.defineProperty(performance, "now", { value: () => now, configurable: true });
  t.after(() => Reflect.deleteProperty(performance, "now"));
  const log = new RecordedLog();
  const counted = new CountedCalls({ except: [], ...settings }, { log, now: () => now });
  const told: Quota[] = [];
  const enter = ({ principal, address = "192.0.2.1", agent = "test", ...rest }: Asking = {}) => {
    const { operation = "getTask", calls } = rest;
    const entry: Entry = {
      agent: { id: agent, calls },
      operation,
      call: {
        principal: { ...UNASKED, id: "alice", method: "apiKey", ...principal },
        address,
        tell: (quota) => void told.push(quota),
      },
    };
    return counted.enter(entry);
  };
  return {
    counted,
    log,
    told,
    enter,
    wait(ms) {
      now += ms;
    },
    refused: (asking) => refusalIn(() => enter(asking)),
    passing: (calls, asking) => countOf(calls, () => enter(asking)),
    passingFrom: (address, requests) =>
      countOf(requests, () => counted.countRequest?.(address, (quota) => told.push(quota))),
  };
}

function countOf(times: number, act: () => unknown): number {
  let passed = 0;
  for (let index = 0; index < times; index++) if (refusalIn(act) === undefined) passed++;
  return passed;
}

function refusalIn(act: () => unknown): A2AError | undefined {
  try {
    act();
    return undefined;
  } catch (thrown) {
    if (A2AError.is(thrown) && thrown.reason === "RATE_LIMITED") return thrown;
    throw thrown;
  }
}
