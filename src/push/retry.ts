/** What follows from a try. */
import type { Outcome } from "../core/ports/push-store.ts";
import type { Reply } from "./post.ts";
import type { Backoff, PushSettings } from "./settings.ts";

export interface Try {
  /** Its number, from 1. */
  readonly attempt: number;
  /** When it ended, in milliseconds since the epoch. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

export type AnsweredReply = Extract<Reply, { readonly kind: "answered" }>;

const GONE = 410;
/** Too many requests, unavailable: the answers with which a receiver may say when to come back. */
const LATER: ReadonlySet<number> = new Set([429, 503]);

/** An answer that is no 2xx, a redirect included, has not taken the delivery. */
export function outcomeOfAnswer(
  { status, retryAfter }: AnsweredReply,
  tried: Try,
  settings: Pick<PushSettings, "attempts" | "backoff">,
): Outcome {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === GONE) return { kind: "gone", problem: "HTTP 410" };
  const asked = LATER.has(status) ? askedWait(retryAfter, tried.now) : 0;
  return outcomeOfFailure(`HTTP ${status}`, tried, settings, asked);
}

/** @param asked milliseconds that the receiver wants to be left alone */
export function outcomeOfFailure(
  problem: string,
  { attempt, now, random }: Try,
  { attempts, backoff }: Pick<PushSettings, "attempts" | "backoff">,
  asked = 0,
): Outcome {
  if (attempt >= attempts)
    return { kind: "dead", problem: `${problem}; given up after ${attempt} tries` };
  const wait = Math.max(waitAfter(attempt, random, backoff), Math.min(asked, backoff.retryAfter));
  return { kind: "retry", at: now + Math.round(wait), problem };
}

const FACTOR = 3;
/** Up to a fifth is taken off, so that what failed together does not come back together. */
const JITTER = 0.2;

function waitAfter(attempt: number, random: number, { first, most }: Backoff): number {
  return Math.min(most, first * FACTOR ** (attempt - 1)) * (1 - JITTER * random);
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
function askedWait(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
