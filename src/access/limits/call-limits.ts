/** Counts requests, calls and open streams for addresses, principals and agents. Nothing of it outlives the process. */
import type {
  CallLimit,
  CallLimits,
  Entry,
  Rate,
  StreamSlot,
} from "../../core/ports/call-limits.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { CountRequest } from "../../protocol/quota.ts";
import { OPERATIONS } from "../../protocol/service.ts";
import { whoOf, type IsAbout } from "../policy/who.ts";
import { OpenStreams, type Streaming } from "./open-streams.ts";
import { Rates, type Rated } from "./rates.ts";
import { Refusals } from "./refusals.ts";
import type { CallLimitSettings } from "./settings.ts";
import { addressSubject, agentSubject, principalSubject, type Subject } from "./subjects.ts";

/** How many streams may be open; undefined: as many as there are. */
type Most = Readonly<Record<Subject["kind"], number | undefined>>;

const NO_LIMIT: CallLimit = {};

export class CountedCalls implements CallLimits {
  /** Counts everything that comes to a door, before anything else is done for it; undefined where nobody counts. */
  readonly countRequest: CountRequest | undefined;
  readonly #settings: CallLimitSettings;
  readonly #exceptions: readonly { readonly isAbout: IsAbout; readonly limit: CallLimit }[];
  readonly #rates: Rates;
  readonly #streams: OpenStreams;

  /** @param deps `now` in milliseconds, for the log alone: tokens go by a clock that nobody sets */
  constructor(
    settings: CallLimitSettings,
    { log, now }: { readonly log: Log; readonly now: () => number },
  ) {
    const refusals = new Refusals(log, now);
    this.#settings = settings;
    this.#exceptions = settings.except.map(({ who, ...limit }) => ({
      isAbout: whoOf(who),
      limit: { ...settings.principal, ...limit },
    }));
    this.#rates = new Rates(refusals);
    this.#streams = new OpenStreams(refusals);
    const rate = given(settings.address?.rate);
    this.countRequest =
      rate &&
      ((address, tell) => this.#rates.take([{ subject: addressSubject(address), rate }], tell));
  }

  /** How much is remembered. */
  get size(): { readonly buckets: number; readonly streams: number } {
    return { buckets: this.#rates.size, streams: this.#streams.size };
  }

  enter(entry: Entry): StreamSlot | undefined {
    const { agent, operation, call } = entry;
    if (call.principal.method === "operator") return undefined;
    const own = this.#limitOf(call.principal);
    const forAll = this.#settings.agent ?? NO_LIMIT;
    const ofAgent = agent.calls ?? forAll;
    this.#take(entry, given(own.rate), given(ofAgent.rate ?? forAll.rate));
    if (OPERATIONS[operation] !== "stream") return undefined;
    return this.#slotFor(entry, {
      address: given(this.#settings.address?.streams),
      principal: given(own.streams),
      agent: given(ofAgent.streams ?? forAll.streams),
    });
  }

  #take({ agent, call }: Entry, own: Rate | undefined, ofAgent: Rate | undefined): void {
    if (!own && !ofAgent) return;
    const rated: Rated[] = [];
    if (own) rated.push({ subject: principalSubject(call), rate: own });
    if (ofAgent) rated.push({ subject: agentSubject(agent), rate: ofAgent });
    this.#rates.take(rated, (quota) => call.tell(quota));
  }

  #slotFor({ agent, call }: Entry, most: Most): StreamSlot | undefined {
    const streaming: Streaming[] = [];
    if (most.address) streaming.push({ subject: addressSubject(call.address), most: most.address });
    if (most.principal) streaming.push({ subject: principalSubject(call), most: most.principal });
    if (most.agent) streaming.push({ subject: agentSubject(agent), most: most.agent });
    return streaming.length === 0 ? undefined : this.#streams.enter(streaming);
  }

  #limitOf(principal: Principal): CallLimit {
    for (const { isAbout, limit } of this.#exceptions) if (isAbout(principal)) return limit;
    return this.#settings.principal ?? NO_LIMIT;
  }
}

function given<T extends Rate | number>(limit: T | "off" | undefined): T | undefined {
  return limit === "off" ? undefined : limit;
}
