/** How deliveries to webhooks are answered. */
import type {
  DeliveryCounts,
  DeliveryRecord,
  DeliveryState,
  SentCounts,
} from "../../core/ports/push-store.ts";
import {
  flag,
  instant,
  instantOf,
  integer,
  list,
  named,
  object,
  oneOf,
  text,
  type TypeOf,
} from "./schema.ts";

export const DELIVERY_STATES = [
  "due",
  "delivered",
  "dead",
] as const satisfies readonly DeliveryState[];

const DELIVERY = named(
  "Delivery",
  object(
    {
      taskId: text("the task that the event is of"),
      configId: text("the webhook's id within its task"),
      agent: text("the agent that has the task"),
      owner: text("whose the task is"),
      url: text("where it is sent, without the query and the user, which may let somebody in"),
      generation: integer("the generation of the event"),
      state: oneOf(DELIVERY_STATES, "due: still to be sent; dead: not tried again by itself"),
      attempts: integer("how often it was tried"),
      dueAt: instant("when it is tried, or was last due"),
      createdAt: instant("when the event was committed"),
      updatedAt: instant("when it was last tried or changed"),
    },
    { problem: text("why it failed the last time") },
  ),
);

export const DELIVERIES = object(
  { deliveries: list(DELIVERY) },
  { nextPageToken: text("the pageToken of the next page; absent on the last") },
);

export const DELIVERY_COUNTS = named(
  "DeliveryCounts",
  object(
    {
      due: integer("how many are due"),
      dead: integer("how many are dead"),
      sent: object({
        delivered: integer("deliveries that a receiver has taken since the start"),
        failed: integer("tries since the start that failed and are made again"),
        dead: integer("deliveries that were given up since the start"),
        gone: integer("receivers that said since the start that they are gone for good"),
      }),
    },
    { oldestDueAt: instant("when the oldest one that is due was written") },
  ),
);

export const REDRIVEN = object({ redriven: integer("how many are due again") });

export const WEBHOOK = named(
  "Webhook",
  object({
    taskId: text("its task"),
    configId: text("its id within the task"),
    isPaused: flag("whether what is due to it is held back"),
  }),
);

export function deliveryAnswer(record: DeliveryRecord): TypeOf<typeof DELIVERY> {
  return {
    taskId: record.taskId,
    configId: record.configId,
    agent: record.agent,
    owner: record.owner,
    url: shownUrl(record.url),
    generation: record.generation,
    state: record.state,
    attempts: record.attempts,
    dueAt: instantOf(record.dueAt),
    createdAt: instantOf(record.createdAt),
    updatedAt: instantOf(record.updatedAt),
    problem: record.problem,
  };
}

export function countsAnswer(
  { due, dead, oldestDueAt }: DeliveryCounts,
  sent: SentCounts,
): TypeOf<typeof DELIVERY_COUNTS> {
  const oldest = oldestDueAt === undefined ? undefined : instantOf(oldestDueAt);
  return { due, dead, sent: { ...sent }, oldestDueAt: oldest };
}

function shownUrl(url: string): string {
  return url.replace(/^([^/]*\/\/)[^/?#]*@/, "$1").replace(/[?#].*$/s, "?…");
}
