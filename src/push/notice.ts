/** What is told to a webhook, and how each protocol version writes it. */
import type { Claim } from "../core/ports/push-store.ts";
import type { Notice } from "../core/ports/webhooks.ts";
import { textOf } from "../protocol/ready-made.ts";
import { kindOfTask } from "../wire/v0_3/kind/encode-outputs.ts";
import { jsonOfItem } from "../wire/v1/json-output.ts";

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
