/** What the parts of the sending are made from in tests. */
import type { Claim, Delivery, PushConfig } from "../../../src/core/ports/push-store.ts";
import type { EventNotice } from "../../../src/core/ports/webhooks.ts";
import type { Task } from "../../../src/protocol/model.ts";
import type { PushSettings } from "../../../src/push/settings.ts";

export const SETTINGS: PushSettings = {
  allowHttp: true,
  allowPrivate: true,
  allow: [],
  attempts: 3,
  backoff: { first: 1000, most: 300_000, retryAfter: 3_600_000 },
  timeout: 10_000,
  concurrency: 64,
};

export function configOf(url: string, fields: Partial<PushConfig> = {}): PushConfig {
  return {
    taskId: "t1",
    id: "c1",
    agent: "echo",
    owner: "",
    url,
    token: undefined,
    authentication: undefined,
    version: "1.0",
    interest: "default",
    since: 0,
    createdAt: 0,
    ...fields,
  };
}

export function deliveryOf(generation: number, attempts = 0): Delivery {
  return { generation, attempts, createdAt: 0 };
}

export const TASK: Task = {
  id: "t1",
  contextId: "x1",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-01-01T00:00:00.000Z" },
};

/** A status update whose context tells the generation. */
export function noticeOf(generation: number): EventNotice {
  return {
    response: {
      statusUpdate: {
        taskId: "t1",
        contextId: String(generation),
        status: { state: "TASK_STATE_WORKING" },
      },
    },
  };
}

export const readNotice = (_: Claim, generation: number): Promise<EventNotice> =>
  Promise.resolve(noticeOf(generation));
