/** What is told to a webhook, and how each protocol version writes it. */
import type { Claim } from "../core/ports/push-store.ts";
import type { TaskOutput } from "../protocol/model.ts";
import { textOf } from "../protocol/ready-made.ts";
import type { StreamItem } from "../protocol/service.ts";
import { kindOfTask } from "../wire/v0_3/kind/encode-outputs.ts";
import { jsonOfItem } from "../wire/v1/json-output.ts";

/** 1.0 tells an event of a stream (spec 4.3.3), 0.3 the whole task (spec 0.3, 9.5). */
export type Notice = (
  { readonly response: StreamItem["response"] } | { readonly task: TaskOutput }
) & {
  /** The trace that the event belongs to (W3C Trace Context); absent: each delivery is one of its own. */
  readonly traceparent?: string;
};

/**
 * What to tell the claim's config of that generation, in the form of the config's version; undefined when the event is
 * no longer there.
 */
export type ReadNotice = (claim: Claim, generation: number) => Promise<Notice | undefined>;

export interface Body {
  readonly contentType: string;
  readonly text: string;
}

export function bodyOf(notice: Notice): Body {
  if ("task" in notice)
    return { contentType: "application/json", text: textOf(kindOfTask(notice.task)) };
  return { contentType: "application/a2a+json", text: textOf(jsonOfItem(notice)) };
}
