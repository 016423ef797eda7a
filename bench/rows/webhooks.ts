/** SendMessage with a webhook for each task over SendMessage without, and how the deliveries keep up. */
import { checkTask, type TaskView } from "../checks.ts";
import { measure, median, type Measurement } from "../measure.ts";
import {
  modelOf,
  newMessage,
  requestOf,
  sendMessage,
  type Operation,
  type World,
} from "../operations.ts";
import { goalOf } from "../report.ts";
import { withWebhookWorld, type WebhookWorld } from "../webhooks/world.ts";
import type { Context } from "./context.ts";

const WORLD: World = { known: [], pageSize: 0, total: 0, deepToken: "" };
/** Submitted, working, the artifact, completed. */
const EVENTS_PER_TASK = 4;

interface Round {
  readonly without: Measurement;
  readonly with: Measurement;
  /** Deliveries per second while messages were sent, and after that until none was left. */
  readonly meanwhile: number;
  readonly afterwards: number;
  /** Deliveries that were due when the last message was answered. */
  readonly backlog: number;
}

export async function webhookRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withWebhookWorld(context, async (world) => {
    report.head(`a webhook for each task over none, ${options.lanes} under way`);
    if (options.warmup > 0) await roundOf(world, options.lanes, options.warmup);
    const rounds: Round[] = [];
    while (rounds.length < options.rounds)
      rounds.push(await roundOf(world, options.lanes, options.seconds));
    const of = (pick: (round: Round) => number) => median(rounds.map(pick));
    const rates = [of((round) => round.with.rate), of((round) => round.without.rate)];
    const costs = [of((round) => round.with.cpu), of((round) => round.without.cpu)];
    report.add({
      name: "send jsonrpc with webhooks",
      value: of((round) => round.with.rate / round.without.rate),
      goal: goalOf("send with webhooks", "jsonrpc"),
      detail: `${beside(rates)}/s, ${beside(costs)} us with what is told meanwhile`,
    });
    const afterwards = of((round) => round.afterwards).toFixed(0);
    const backlog = of((round) => round.backlog).toFixed(0);
    report.add({
      name: "deliveries per second",
      value: of(({ meanwhile }) => meanwhile),
      detail: `backlog ${backlog} at the end, then ${afterwards}/s`,
    });
  });
}

function beside(values: readonly number[]): string {
  return values.map((value) => value.toFixed(0)).join(" of ");
}

async function roundOf(world: WebhookWorld, lanes: number, seconds: number): Promise<Round> {
  const { gateway: target } = world;
  const load = { target, binding: "jsonrpc", world: WORLD, lanes, seconds } as const;
  const without = await measure({ ...load, operation: sendMessage });
  const tasks = { ended: 0 };
  const before = await world.taken();
  const began = performance.now();
  const sent = await measure({ ...load, operation: sendWithWebhook(world.receiver, tasks) });
  const [between, backlog] = await Promise.all([world.taken(), world.due()]);
  const answered = performance.now();
  await world.drained();
  const ended = performance.now();
  const after = await world.taken();
  if (after - before < tasks.ended * EVENTS_PER_TASK)
    throw new Error(`${after - before} deliveries of ${tasks.ended} tasks`);
  return {
    without,
    with: sent,
    meanwhile: perSecond(between - before, answered - began),
    afterwards: perSecond(after - between, ended - answered),
    backlog,
  };
}

function perSecond(count: number, milliseconds: number): number {
  return (count * 1000) / milliseconds;
}

/** Counts the tasks whose end was answered. */
function sendWithWebhook(url: string, tasks: { ended: number }): Operation {
  const configuration = { taskPushNotificationConfig: { url } };
  return {
    name: "send with webhooks",
    method: "SendMessage",
    isStream: false,
    next(target, binding) {
      const { text, params } = newMessage();
      const all = { message: params.message, configuration };
      return {
        request: requestOf(target, binding, "SendMessage", all, "POST /message:send"),
        check(answer) {
          const { task } = modelOf<{ task: TaskView }>(binding, "SendMessage", answer);
          checkTask(task, { text });
          tasks.ended++;
        },
      };
    },
  };
}
