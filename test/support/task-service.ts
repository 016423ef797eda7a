/** A task service over a real SQLite database in memory, with one agent whose handler the test scripts. */
import type { Agent, Agents, TurnLimits } from "../../src/core/ports/agent.ts";
import type { CallLimits } from "../../src/core/ports/call-limits.ts";
import type { Handler } from "../../src/core/ports/handler.ts";
import { TaskQuota, type QuotaLimits } from "../../src/core/limits/task-quota.ts";
import type { Log } from "../../src/core/ports/log.ts";
import type { TaskStore } from "../../src/core/ports/task-store.ts";
import { TaskService } from "../../src/core/task-service.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import type { Message, SendMessageRequest, Task, TaskOutput } from "../../src/protocol/model.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { UNASKED, type Principal } from "../../src/protocol/principal.ts";
import type { Call, StreamItem } from "../../src/protocol/service.ts";
import { openStores } from "../../src/store/knex/stores.ts";
import { v7 as newId } from "uuid";

export const card: AgentCard = {
  name: "Test",
  description: "An agent of a test",
  supportedInterfaces: [],
  version: "1",
  capabilities: { streaming: true, extendedAgentCard: false },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "test", name: "test", description: "test", tags: ["test"] }],
};

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const NO_LIMITS: TurnLimits = {
  running: undefined,
  perPrincipal: undefined,
  queue: 1_000,
  wait: 30_000,
};

export interface Options {
  readonly agent?: Partial<Agent>;
  readonly store?: TaskStore;
  readonly runningTasks?: number;
  /** For each agent that does not say otherwise. */
  readonly turns?: Partial<TurnLimits>;
  readonly quota?: Partial<QuotaLimits>;
  readonly log?: Log;
  readonly limits?: CallLimits;
  readonly streamBuffer?: { readonly events: number; readonly characters: number };
}

export interface Running {
  readonly service: TaskService;
  readonly store: TaskStore;
  stop(): Promise<void>;
  /** Closes the store under the running service. */
  crash(): Promise<void>;
}

export async function startService(handler: Handler, options: Options = {}): Promise<Running> {
  const log = options.log ?? silent;
  const countsUsage = options.quota !== undefined;
  const stores = await openStores({
    file: ":memory:",
    log,
    now: Date.now,
    keys: [],
    countsUsage,
  });
  const limits = { tasks: undefined, bytes: undefined, ...options.quota };
  const quota = stores.usage && new TaskQuota(limits, stores.usage);
  const store = options.store ?? stores.tasks;
  const service = new TaskService({
    store,
    agents: only({
      id: "test",
      handler,
      card,
      extendedCard: undefined,
      onRestart: "fail",
      idempotencyWindowMs: 0,
      forwardHeaders: [],
      turnTimeoutMs: 0,
      cancelGraceMs: 5_000,
      pushInterest: "default",
      sharing: "none",
      turns: undefined,
      calls: undefined,
      ...options.agent,
    }),
    policy: undefined,
    limits: options.limits,
    webhooks: {
      configs: stores.push.configs,
      limit: 100,
      check: () => [],
      forget: async () => undefined,
    },
    clock: { now: Date.now, newId },
    log,
    live: {
      tasks: options.runningTasks ?? 1_000,
      turns: { ...NO_LIMITS, ...options.turns },
      quota,
    },
    pageSize: 50,
    streamBuffer: options.streamBuffer ?? { events: 1_000, characters: 10_000_000 },
  });
  const crash = async (): Promise<void> => {
    await store.close();
    if (options.store) await stores.close();
  };
  return {
    service,
    store,
    crash,
    async stop() {
      await service.stop(0);
      await crash();
    },
  };
}

function only(agent: Agent): Agents {
  return {
    find: (id) => (id === undefined || id === agent.id ? agent : undefined),
    all: () => [agent],
  };
}

/** Somebody with an API key, of no tenant. */
export function named(id: string): Principal {
  return { ...UNASKED, id, method: "apiKey" };
}

export function callOf(call: Partial<Call> = {}): Call {
  return {
    agent: undefined,
    principal: UNASKED,
    binding: "JSONRPC",
    address: "127.0.0.1",
    version: "1.0",
    cancelsOnce: false,
    extensions: [],
    signal: new AbortController().signal,
    resumeAfter: undefined,
    headers: {},
    activate: () => undefined,
    tell: () => undefined,
    requestId: "test",
    ...call,
  };
}

export function requestOf(text: string, rest: Partial<Message> = {}): SendMessageRequest {
  return { message: { messageId: newId(), role: "ROLE_USER", parts: [{ text }], ...rest } };
}

export function withConfiguration(
  request: SendMessageRequest,
  configuration: NonNullable<SendMessageRequest["configuration"]>,
): SendMessageRequest {
  return { ...request, configuration };
}

/** The task of an answer; fails when there is none. */
export function taskIn(answer: { task: TaskOutput } | { message: Message }): Task {
  if (!("task" in answer)) throw new Error("the answer is a message");
  return modelOf(answer.task);
}

/** An event of a stream in short: `task SUBMITTED`, `status WORKING`, `artifact text`, `message text`. */
export function shortOf({ response }: StreamItem): string {
  const event = modelOf(response);
  if ("task" in event) return `task ${modelOf(event.task).status.state.slice(11)}`;
  if ("statusUpdate" in event) return `status ${event.statusUpdate.status.state.slice(11)}`;
  if ("artifactUpdate" in event) {
    return `artifact ${event.artifactUpdate.artifact.parts.map(({ text }) => text).join("")}`;
  }
  return `message ${event.message.parts.map(({ text }) => text).join("")}`;
}

export async function collect(items: AsyncIterable<StreamItem>): Promise<StreamItem[]> {
  const collected: StreamItem[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export function textsOf(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).map(({ parts }) => parts.map(({ text }) => text).join(""));
}
