/** The settings of a remote agent with what the configuration left out. */
import type {
  UpstreamBreaker,
  UpstreamConfig,
  UpstreamHealth,
  UpstreamPoll,
  UpstreamRetries,
} from "./config.ts";

const DEFAULTS = {
  headers: {},
  connectTimeout: 10_000,
  headTimeout: 60_000,
  idleTimeout: 300_000,
  callTimeout: 60_000,
  maxAnswer: 16 * 1024 * 1024,
  maxEvent: 4 * 1024 * 1024,
  maxEvents: 100_000,
  connections: 128,
  cardRefresh: 300_000,
  cardSignatures: "off",
} as const;

const RETRIES = { attempts: 3, backoff: 200, maxBackoff: 5_000 } as const;
const BREAKER = { failures: 5, cooldown: 30_000 } as const;
const HEALTH = { interval: 30_000 } as const;
const POLL = { interval: 1_000, max: 15_000 } as const;

export interface UpstreamSettings extends UpstreamConfig {
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeout: number;
  readonly headTimeout: number;
  readonly idleTimeout: number;
  readonly callTimeout: number;
  readonly maxAnswer: number;
  readonly maxEvent: number;
  readonly maxEvents: number;
  readonly connections: number;
  readonly cardRefresh: number;
  readonly cardSignatures: "off" | "warn" | "require";
  readonly retries: Required<UpstreamRetries>;
  readonly breaker: Required<UpstreamBreaker>;
  readonly health: Required<UpstreamHealth>;
  readonly poll: Required<UpstreamPoll>;
}

export function settingsOf(config: UpstreamConfig): UpstreamSettings {
  return {
    ...DEFAULTS,
    ...config,
    retries: { ...RETRIES, ...config.retries },
    breaker: { ...BREAKER, ...config.breaker },
    health: { ...HEALTH, ...config.health },
    poll: { ...POLL, ...config.poll },
  };
}
