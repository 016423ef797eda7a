/** Which of an agent's interfaces is called: the first one that works, and that one while it works. */
import { A2AError } from "../../protocol/errors.ts";
import { Breaker, type BreakerSettings, type BreakerState, type Permit } from "./breaker.ts";
import { keyOf, type UpstreamInterface } from "./discovery/interfaces.ts";

/** What a throw says of the interface. */
export type Verdict =
  /** The agent has answered, with an error: its interface works. */
  | "answered"
  /** The agent has answered that there is no such task: another interface may lead to it. */
  | "unknown"
  /** The agent has surely not seen the call: another interface may have it. */
  | "unreached"
  /** The gateway has no connection free for the call: another interface may have one. */
  | "busy"
  /** The interface failed, and the agent may have seen the call. */
  | "failed"
  /** Nothing: the caller went away. */
  | "withdrawn";

export interface Attempt<T> {
  /** In the order of the card. */
  readonly interfaces: readonly UpstreamInterface[];
  /** The key of the interface that is tried before all others, as the one that knows the task. */
  readonly first: string | undefined;
  /** Whether it is to find out if an interface works again that is left alone. */
  readonly isScout: boolean;
  work(target: UpstreamInterface): Promise<T>;
  verdictOf(thrown: unknown): Verdict;
}

export interface InterfaceStatus {
  readonly interface: UpstreamInterface;
  readonly state: BreakerState;
  /** Whether calls go there when nothing is wrong. */
  readonly isCurrent: boolean;
}

export interface FailoverDeps {
  readonly breaker: BreakerSettings;
  now(): number;
  /** Whether checks find an interface down: it is then called after all others. */
  isDown(target: UpstreamInterface): boolean;
  /** Told when an interface worked and is now left alone. */
  left(target: UpstreamInterface): void;
}

export class Failover {
  readonly #deps: FailoverDeps;
  readonly #breakers = new Map<string, Breaker>();
  #interfaces: readonly UpstreamInterface[] = [];
  /** The key of the interface that answered last. */
  #current: string | undefined;

  constructor(deps: FailoverDeps) {
    this.#deps = deps;
  }

  /**
   * Does the work with the first interface whose breaker lets it, with the next one when the agent could not be reached
   * there, or does not know the task there and `first` is another one. Throws what the work threw last, unless that is
   * that the task is unknown and not every interface was reached; UNAVAILABLE when no breaker lets it.
   */
  async run<T>({ interfaces, first, isScout, work, verdictOf }: Attempt<T>): Promise<T> {
    this.#use(interfaces);
    let unreached: { readonly thrown: unknown } | undefined;
    let unknown: { readonly thrown: unknown } | undefined;
    let isShut = false;
    for (const target of this.#inOrder(first)) {
      const permit = this.#breakerOf(target).enter(isScout);
      if (permit === undefined) {
        isShut = true;
        continue;
      }
      try {
        const result = await work(target);
        permit.succeed();
        this.#current = keyOf(target);
        return result;
      } catch (thrown) {
        switch (verdictOf(thrown)) {
          case "answered":
            permit.succeed();
            this.#current = keyOf(target);
            throw thrown;
          case "unknown":
            permit.succeed();
            if (keyOf(target) === first) throw thrown;
            unknown = { thrown };
            break;
          case "withdrawn":
            permit.withdraw();
            throw thrown;
          case "failed":
            this.#fail(target, permit);
            throw thrown;
          case "busy":
            permit.withdraw();
            unreached = { thrown };
            break;
          case "unreached":
            this.#fail(target, permit);
            unreached = { thrown };
        }
      }
    }
    if (unreached !== undefined) throw unreached.thrown;
    throw unknown === undefined || isShut ? this.#shut() : unknown.thrown;
  }

  /** Told that an interface answers which may be left alone: the next call tries it. */
  ease(target: UpstreamInterface): void {
    this.#breakers.get(keyOf(target))?.ease();
  }

  /** Each interface, in the order of the card. */
  status(interfaces: readonly UpstreamInterface[]): readonly InterfaceStatus[] {
    this.#use(interfaces);
    const current = this.#current ?? keyOfFirst(interfaces);
    return interfaces.map((target) => ({
      interface: target,
      state: this.#breakerOf(target).state(),
      isCurrent: keyOf(target) === current,
    }));
  }

  /** Forgets the interfaces that the card no longer has. */
  #use(interfaces: readonly UpstreamInterface[]): void {
    if (interfaces === this.#interfaces) return;
    this.#interfaces = interfaces;
    const keys = new Set(interfaces.map(keyOf));
    for (const key of this.#breakers.keys()) if (!keys.has(key)) this.#breakers.delete(key);
    if (this.#current !== undefined && !keys.has(this.#current)) this.#current = undefined;
  }

  #inOrder(first: string | undefined): readonly UpstreamInterface[] {
    if (this.#interfaces.length === 1) return this.#interfaces;
    const rankOf = (target: UpstreamInterface) => {
      const key = keyOf(target);
      if (key === first) return 0;
      if (this.#deps.isDown(target)) return 3;
      return key === this.#current ? 1 : 2;
    };
    return this.#interfaces
      .map((target) => ({ target, rank: rankOf(target) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ target }) => target);
  }

  #breakerOf(target: UpstreamInterface): Breaker {
    const key = keyOf(target);
    const known = this.#breakers.get(key);
    if (known !== undefined) return known;
    const breaker = new Breaker(this.#deps.breaker, () => this.#deps.now());
    this.#breakers.set(key, breaker);
    return breaker;
  }

  #fail(target: UpstreamInterface, permit: Permit): void {
    const breaker = this.#breakerOf(target);
    const worked = breaker.state() === "closed";
    permit.fail();
    if (worked && breaker.state() !== "closed") this.#deps.left(target);
    if (this.#current === keyOf(target)) this.#current = undefined;
  }

  #shut(): A2AError {
    const waits = this.#interfaces.map((target) => this.#breakerOf(target).retryAfter());
    const soonest = waits.length === 0 ? this.#deps.breaker.cooldown : Math.min(...waits);
    return new A2AError("UNAVAILABLE", "the agent cannot be reached", {
      retryAfter: Math.max(1, Math.ceil(soonest / 1000)),
    });
  }
}

function keyOfFirst(interfaces: readonly UpstreamInterface[]): string | undefined {
  const [first] = interfaces;
  return first && keyOf(first);
}
