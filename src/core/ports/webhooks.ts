/** What core asks of whoever keeps webhooks and calls them, and what it gives them to tell. */
import type { FieldViolation } from "../../protocol/errors.ts";
import type { StreamResponse, Task, TaskPushNotificationConfig } from "../../protocol/model.ts";
import type { PushConfigKey, PushConfigStore } from "./push-store.ts";

export interface Webhooks {
  readonly configs: PushConfigStore;
  /** The most configs that a task may have. */
  readonly limit: number;
  /** What keeps a config from being called, with paths below the config; nothing when it may be registered. */
  check(config: TaskPushNotificationConfig): readonly FieldViolation[];
  /** Cuts what is on its way to a config; resolves when nothing more will be sent to it, unless it comes back. */
  forget(key: PushConfigKey): Promise<void>;
}

/** An event as a stream has it: what 1.0 tells to webhooks (spec 4.3.3). */
export interface EventNotice {
  readonly response: StreamResponse;
}

/** The whole task: what 0.3 tells to webhooks (spec 0.3, 9.5). */
export interface TaskNotice {
  readonly task: Task;
}

export type Notice = EventNotice | TaskNotice;
