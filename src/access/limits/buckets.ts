/** Token buckets by key: of callers or agents that are counted alike. */
import { TokenBucket } from "limiter";
import { LRUCache } from "lru-cache";
import type { Rate } from "../../core/ports/call-limits.ts";

/** With more, those that were used longest ago are forgotten: they are full again, or belong to a flood of addresses. */
const MAX_BUCKETS = 50_000;

/** What is left in a bucket. */
export interface Level {
  readonly left: number;
  /** Milliseconds until there is one more. */
  readonly nextMs: number;
}

export class Buckets {
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS });

  /** How many buckets are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Milliseconds until there is a token; 0 where there is one. */
  waitFor(key: string, rate: Rate): number {
    return this.#bucket(key, rate).getWaitTime(1);
  }

  /** Takes a token, which must be there. */
  take(key: string, rate: Rate): Level {
    const bucket = this.#bucket(key, rate);
    bucket.tryRemoveTokens(1);
    const left = Math.floor(bucket.content);
    const missing = left + 1 - bucket.content;
    return { left, nextMs: (missing * rate.period) / rate.calls };
  }

  /** A new one is full. Where the rate has changed it goes on with what is there, as far as that fits. */
  #bucket(key: string, { calls, period, burst }: Rate): TokenBucket {
    const known = this.#buckets.get(key);
    if (
      known?.bucketSize === burst &&
      known.tokensPerInterval === calls &&
      known.interval === period
    )
      return known;
    const bucket = new TokenBucket({
      bucketSize: burst,
      tokensPerInterval: calls,
      interval: period,
    });
    known?.drip();
    bucket.content = Math.min(burst, known?.content ?? burst);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
