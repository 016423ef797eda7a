/** The sending of webhooks, put together. */
import type { PushConfigKey, SentCounts } from "../core/ports/push-store.ts";
import { Dispatcher, type DispatcherParts } from "./dispatcher.ts";
import { openSender, type SenderParts } from "./sender.ts";

export type SendingParts = SenderParts & Omit<DispatcherParts, "sender">;

export interface Sending {
  /**
   * Cuts what is being sent to a config, and resolves when nothing more is sent of what was due to it when it was
   * called. To be called once the store no longer has the config, or has it with another address.
   */
  forget(key: PushConfigKey): Promise<void>;
  /** Resolves when nothing is sent any more: what is being sent may take that many milliseconds, and is then cut. */
  stop(graceMs: number): Promise<void>;
  counts(): SentCounts;
}

/** Begins at once with what is due. */
export function startSending(parts: SendingParts): Sending {
  const sender = openSender(parts);
  const dispatcher = new Dispatcher({ ...parts, sender });
  dispatcher.start();
  return {
    forget: (key) => dispatcher.forget(key),
    async stop(graceMs) {
      await dispatcher.stop(graceMs);
      sender.close();
    },
    counts: () => dispatcher.counts(),
  };
}
