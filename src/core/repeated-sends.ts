/**
 * Idempotent sends (spec 3.3.1): within an agent's window the same message from the same caller answers with the same
 * task. Messages on their way are kept here, those that opened a task in the store.
 */
import { invalidParams } from "../protocol/errors.ts";
import type { Message } from "../protocol/model.ts";
import type { SentMessage } from "./ports/task-store.ts";

/** What a first send leaves for its repetitions while it is on its way. */
interface OnItsWay<T> {
  readonly fingerprint: string;
  readonly started: Promise<T>;
}

export class RepeatedSends<T> {
  readonly #onTheirWay = new Map<string, OnItsWay<T>>();

  /** The send under that key if one is on its way; throws INVALID_PARAMS when it had another content. */
  find(key: string, sent: SentMessage): Promise<T> | undefined {
    const first = this.#onTheirWay.get(key);
    if (!first) return undefined;
    checkSame(first.fingerprint, sent.fingerprint);
    return first.started;
  }

  /** Keeps a send under its key until `over` settles. */
  keep(key: string, sent: SentMessage, started: Promise<T>, over: Promise<unknown>): void {
    this.#onTheirWay.set(key, { fingerprint: sent.fingerprint, started });
    const forget = (): void => void this.#onTheirWay.delete(key);
    over.then(forget, forget);
  }
}

/** The parts of a key cannot run into one another, whatever characters they hold. */
export function sendKeyOf(agent: string, owner: string, message: Message): string {
  return JSON.stringify([agent, owner, message.taskId ?? "", message.messageId]);
}

/** Identifies the content of a message: the same for the same members in any order. */
export function sentMessageOf(message: Message): SentMessage {
  return { messageId: message.messageId, fingerprint: JSON.stringify(sorted(message)) };
}

/** Throws INVALID_PARAMS when a messageId comes again with another content. */
export function checkSame(known: string, given: string): void {
  if (known === given) return;
  const description = "was used before, with another content";
  throw invalidParams([{ field: "message.messageId", description }]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
