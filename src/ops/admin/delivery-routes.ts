/** Webhooks: what is still to be told to them, and what was given up. */
import type { Subject } from "../../core/ports/audit.ts";
import type { DeliveryQuery } from "../../core/ports/push-store.ts";
import {
  countsAnswer,
  DELIVERIES,
  DELIVERY_COUNTS,
  DELIVERY_STATES,
  deliveryAnswer,
  REDRIVEN,
  WEBHOOK,
} from "./delivery-answers.ts";
import type { AdminPorts } from "./ports.ts";
import { AdminError } from "./failure.ts";
import { bodyOf, NO_BODY } from "./input.ts";
import {
  PAGE_SIZE,
  pageOf,
  pageSizeParameter,
  pageTokenParameter,
  positionIn,
  tokenOf,
} from "./page.ts";
import { agentParameter, choiceParameter, integerParameter, textParameter } from "./parameter.ts";
import { ok, route, type Answer, type Change, type Route } from "./route.ts";
import type { TypeOf } from "./schema.ts";

const which = {
  agent: agentParameter("the agent that has the task"),
  task: textParameter("the task's id"),
  config: textParameter("the webhook's id within its task"),
};
const webhook = {
  segments: { task: which.task, config: which.config },
  about: ({ segments: { task, config } }: Change<unknown>): Subject => ({ task, webhook: config }),
  body: NO_BODY,
  answer: WEBHOOK,
  statuses: { 200: "the webhook" },
  failures: [404],
} as const;

export function deliveryRoutes(control: AdminPorts["deliveries"]): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/admin/deliveries",
      operation: "listDeliveries",
      summary: "Deliveries that fit every parameter, by task, webhook and generation",
      query: {
        ...which,
        state: choiceParameter("what became of it", DELIVERY_STATES),
        pageSize: pageSizeParameter,
        pageToken: pageTokenParameter,
      },
      answer: DELIVERIES,
      statuses: { 200: "a page of deliveries" },
      async run({ query: { state, task, config, agent, pageSize = PAGE_SIZE, pageToken } }) {
        const found = await control.deliveries({
          state,
          taskId: task,
          configId: config,
          agent,
          after: pageToken === undefined ? undefined : deliveryPositionIn(pageToken),
          limit: pageSize + 1,
        });
        const { items, hasMore } = pageOf(found, pageSize);
        const last = hasMore ? items.at(-1) : undefined;
        return ok({
          deliveries: items.map(deliveryAnswer),
          nextPageToken: last && tokenOf([last.taskId, last.configId, last.generation]),
        });
      },
    }),
    route({
      method: "GET",
      path: "/admin/deliveries/counts",
      operation: "countDeliveries",
      summary: "How many deliveries are due, were given up, and were sent since the start",
      answer: DELIVERY_COUNTS,
      statuses: { 200: "the counts" },
      run: async () => ok(countsAnswer(await control.counts(), control.sent())),
    }),
    route({
      method: "POST",
      path: "/admin/deliveries/redrive",
      operation: "redriveDeliveries",
      summary:
        "Makes dead deliveries due again: those that fit every member, all of them without any",
      body: bodyOf({
        ...which,
        generation: integerParameter("the generation of the event", { min: 1 }),
      }),
      about: ({ body }) => redriveIn(body),
      answer: REDRIVEN,
      statuses: { 200: "how many there were" },
      async run({ body: { task, config, agent, generation } }) {
        const redriven = await control.redrive({
          taskId: task,
          configId: config,
          agent,
          generation,
        });
        return ok({ redriven });
      },
    }),
    route({
      method: "POST",
      path: "/admin/webhooks/{task}/{config}/pause",
      operation: "pauseWebhook",
      summary: "Holds back what is due to a webhook",
      ...webhook,
      run: ({ path: { task, config } }) => paused(control, { taskId: task, id: config }, true),
    }),
    route({
      method: "POST",
      path: "/admin/webhooks/{task}/{config}/resume",
      operation: "resumeWebhook",
      summary: "Lets go what was held back from a webhook",
      ...webhook,
      run: ({ path: { task, config } }) => paused(control, { taskId: task, id: config }, false),
    }),
  ];
}

/** As it was asked for, as far as that is well-formed. */
function redriveIn(body: unknown): Subject {
  const members = typeof body === "object" && body !== null ? body : {};
  const textAt = (name: string): string | undefined => {
    const value: unknown = Reflect.get(members, name);
    return typeof value === "string" ? value : undefined;
  };
  const generation: unknown = Reflect.get(members, "generation");
  return {
    agent: textAt("agent"),
    task: textAt("task"),
    webhook: textAt("config"),
    generation: typeof generation === "number" ? generation : undefined,
  };
}

function deliveryPositionIn(token: string): DeliveryQuery["after"] {
  const [taskId, id, generation] = positionIn(token, ["string", "string", "number"]);
  return { taskId: String(taskId), id: String(id), generation: Number(generation) };
}

async function paused(
  control: AdminPorts["deliveries"],
  key: { readonly taskId: string; readonly id: string },
  isPaused: boolean,
): Promise<Answer<TypeOf<typeof WEBHOOK>>> {
  if (!(await control.setPaused(key, isPaused)))
    throw new AdminError("NOT_FOUND", `no webhook ${key.id} of task ${key.taskId}`);
  return ok({ taskId: key.taskId, configId: key.id, isPaused });
}
