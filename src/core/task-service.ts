/** The task service: the operations of A2A on the canonical model. Every door calls it and nothing below it. */
import type { AgentCard } from "../protocol/agent-card.ts";
import { A2AError, invalidParams } from "../protocol/errors.ts";
import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  Empty,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  SubscribeToTaskRequest,
  TaskOutput,
  TaskPushNotificationConfig,
} from "../protocol/model.ts";
import type { A2AService, Call, StreamItem } from "../protocol/service.ts";
import { isTerminal } from "../protocol/states.ts";
import { admit, checkPolicy, lacking, type Gate, type Hold } from "./admission.ts";
import { EventHub, type BufferLimits } from "./event-hub.ts";
import type { Execution } from "./execution.ts";
import { LiveTasks, type LiveLimits } from "./live-tasks.ts";
import { ownerOf } from "./owner.ts";
import { pageTokenOf, positionOf } from "./page-token.ts";
import type { Agent, Agents } from "./ports/agent.ts";
import type { CallLimits } from "./ports/call-limits.ts";
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";
import type { Policy } from "./ports/policy.ts";
import type { TaskScope } from "./ports/push-store.ts";
import type { StoredTask, TaskStore } from "./ports/task-store.ts";
import type { Webhooks } from "./ports/webhooks.ts";
import { PushConfigs, type NewPushConfig } from "./push-configs.ts";
import { Recovery } from "./recovery.ts";
import { Sender } from "./sender.ts";
import { sentStart, subscriptionStart, type StreamParts } from "./stream-starts.ts";
import { TaskStream } from "./streams.ts";
import { unknownTask } from "./task-errors.ts";
import { checkHistoryLength, fittingPage, readLimitOf, viewOf } from "./views.ts";
import { findVisible, loadVisible } from "./visible-tasks.ts";

const MAX_PAGE_SIZE = 100;

/** returnImmediately needs the task's id: it does not wait longer than this for the handler's first event. */
const RETURN_PATIENCE_MS = 250;

export interface TaskServiceOptions {
  readonly store: TaskStore;
  readonly agents: Agents;
  /** Undefined where everybody may do everything. */
  readonly policy: Policy | undefined;
  /** Undefined where nothing is counted. */
  readonly limits: CallLimits | undefined;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
  readonly log: Log;
  readonly live: LiveLimits;
  /** How many tasks a page holds when the caller does not say. */
  readonly pageSize: number;
  /** How far a stream's reader may lag behind. */
  readonly streamBuffer: BufferLimits;
}

export class TaskService implements A2AService {
  readonly #store: TaskStore;
  readonly #gate: Gate;
  readonly #hub: EventHub;
  readonly #live: LiveTasks;
  readonly #sender: Sender;
  readonly #streamParts: StreamParts;
  readonly #pushConfigs: PushConfigs;
  readonly #recovery: Recovery;
  readonly #pageSize: number;
  #stopping: A2AError | undefined;

  constructor(options: TaskServiceOptions) {
    const { store, agents, policy, limits, webhooks, clock, log, live, pageSize, streamBuffer } =
      options;
    this.#store = store;
    this.#gate = { agents, policy, limits };
    this.#pageSize = pageSize;
    this.#hub = new EventHub(streamBuffer);
    const lost = (execution: Execution): void => this.#recovery.afterLoss(execution.key);
    this.#live = new LiveTasks({ store, hub: this.#hub, clock, log, lost }, live);
    this.#sender = new Sender({ store, live: this.#live, clock });
    this.#streamParts = { store, hub: this.#hub, sender: this.#sender };
    this.#pushConfigs = new PushConfigs(webhooks, clock);
    this.#recovery = new Recovery({ store, agents, hub: this.#hub, live: this.#live, clock, log });
  }

  /** How many tasks have a turn now, and how many streams are open. */
  get load(): { readonly tasks: number; readonly streams: number } {
    return { tasks: this.#live.size, streams: this.#hub.size };
  }

  /** How many of an agent's tasks have a turn now. */
  loadOf(agent: Agent): number {
    return this.#live.sizeOf(agent);
  }

  /** Resolves once no turn of an agent that is served no longer is under way. */
  endOf(agent: Agent): Promise<void> {
    return this.#live.endOf(agent);
  }

  /** Ends the turns of an agent that is served no longer: their tasks fail with that text. */
  async endAll(agent: Agent, text: string): Promise<void> {
    await this.#live.endAll(agent, text);
    await this.#live.endOf(agent);
  }

  async sendMessage(request: SendMessageRequest, call: Call): Promise<SendMessageResponse> {
    const agent = this.#admitSend("sendMessage", request, call);
    const view = { historyLength: request.configuration?.historyLength, artifacts: true };
    const pushConfig = await this.#pushConfigSent(agent, request, call);
    const follow = (): undefined => undefined;
    const sent = await this.#sender.send({ agent, request, call, pushConfig, follow });
    if (sent.kind === "known") return { task: viewOf(sent.stored, view) };
    if (request.configuration?.returnImmediately) {
      sent.turn.after(RETURN_PATIENCE_MS, () => sent.execution.open(sent.turn));
      const start = await sent.turn.start;
      if (start.kind === "message") return { message: start.message };
      const stored = await this.#sender.startedTask(sent, start.stored, { agent, call });
      return { task: viewOf(stored, view) };
    }
    const outcome = await sent.turn.outcome;
    if (outcome.kind === "message") return { message: outcome.message };
    return { task: viewOf(outcome.stored, view) };
  }

  sendStreamingMessage(request: SendMessageRequest, call: Call): AsyncIterable<StreamItem> {
    return new TaskStream(async (hold) => {
      const agent = this.#admitSend("sendStreamingMessage", request, call, hold);
      const pushConfig = await this.#pushConfigSent(agent, request, call);
      return sentStart(this.#streamParts, { agent, request, call, pushConfig });
    });
  }

  async getTask(request: GetTaskRequest, call: Call): Promise<TaskOutput> {
    const agent = this.#admit("getTask", request, call);
    checkHistoryLength(request.historyLength, "historyLength");
    const stored = await loadVisible(this.#store, { agent, call }, request.id);
    return viewOf(stored, { historyLength: request.historyLength, artifacts: true });
  }

  async listTasks(request: ListTasksRequest, call: Call): Promise<ListTasksResponse> {
    const agent = this.#admit("listTasks", request, call);
    checkHistoryLength(request.historyLength, "historyLength");
    const pageSize = pageSizeOf(request.pageSize || this.#pageSize);
    const from = request.statusTimestampAfter;
    const view = {
      historyLength: request.historyLength,
      artifacts: request.includeArtifacts === true,
    };
    const page = await this.#store.list({
      agent: agent.id,
      owner: ownerOf(call.principal, agent.sharing),
      contextId: request.contextId,
      state: request.status === "TASK_STATE_UNSPECIFIED" ? undefined : request.status,
      from: from === undefined ? undefined : Date.parse(from),
      after: positionOf(request.pageToken),
      limit: pageSize,
      artifacts: view.artifacts,
      maxBytes: readLimitOf(view),
    });
    const tasks = fittingPage(page.tasks.map((stored) => viewOf(stored, view)));
    const last = page.positions[tasks.length - 1];
    const more = page.more || tasks.length < page.tasks.length;
    return {
      tasks,
      nextPageToken: more && last ? pageTokenOf(last) : "",
      pageSize,
      totalSize: page.total,
    };
  }

  async cancelTask(request: CancelTaskRequest, call: Call): Promise<TaskOutput> {
    const agent = this.#admit("cancelTask", request, call);
    const { id } = request;
    // Whose task it is comes first: what is live is found by its id alone.
    const stored = await loadVisible(this.#store, { agent, call }, id);
    const wasEnded = isTerminal(stored.status.state);
    const ended = wasEnded ? stored : await this.#cancel(agent, request, call);
    const { state } = ended.status;
    if (state === "TASK_STATE_CANCELED" && !(wasEnded && call.cancelsOnce)) {
      return viewOf(ended, { historyLength: undefined, artifacts: true });
    }
    const details = { metadata: { taskId: id, state } };
    throw new A2AError("TASK_NOT_CANCELABLE", `task ${id} has ended: ${state}`, details);
  }

  subscribeToTask(request: SubscribeToTaskRequest, call: Call): AsyncIterable<StreamItem> {
    return new TaskStream(async (hold) => {
      const agent = this.#admit("subscribeToTask", request, call, hold);
      return subscriptionStart(this.#streamParts, { agent, call, taskId: request.id });
    });
  }

  async createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    call: Call,
  ): Promise<TaskPushNotificationConfig> {
    const agent = this.#admit("createTaskPushNotificationConfig", request, call);
    await loadVisible(this.#store, { agent, call }, request.taskId ?? "");
    return this.#pushConfigs.create(agent, request, call);
  }

  async getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: Call,
  ): Promise<TaskPushNotificationConfig> {
    const scope = await this.#scopeOf("getTaskPushNotificationConfig", request, call);
    return this.#pushConfigs.get(scope, request);
  }

  async listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: Call,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const scope = await this.#scopeOf("listTaskPushNotificationConfigs", request, call);
    return this.#pushConfigs.list(scope, request);
  }

  async deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: Call,
  ): Promise<Empty> {
    const scope = await this.#scopeOf("deleteTaskPushNotificationConfig", request, call);
    return this.#pushConfigs.remove(scope, request);
  }

  async getExtendedAgentCard(request: GetExtendedAgentCardRequest, call: Call): Promise<AgentCard> {
    const agent = this.#admit("getExtendedAgentCard", request, call);
    if (!agent.card.capabilities.extendedAgentCard) {
      throw new A2AError("UNSUPPORTED_OPERATION", `agent ${agent.id} has no extended card`);
    }
    if (call.principal.method === "anonymous")
      throw new A2AError("UNAUTHENTICATED", "the extended card is for callers with credentials");
    if (agent.extendedCard) return agent.extendedCard();
    const text = `the extended card of agent ${agent.id} is not configured`;
    throw new A2AError("EXTENDED_AGENT_CARD_NOT_CONFIGURED", text);
  }

  /** Takes up what a crash left unfinished. Called once, before the first call. */
  recover(): Promise<void> {
    return this.#recovery.atStart();
  }

  /**
   * Refuses new calls and ends every stream, both as UNAVAILABLE; lets turns finish for `graceMs`, then ends them: their
   * tasks fail, or wait for the next start where the agent says so. Resolves when everything is committed.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = new A2AError("UNAVAILABLE", "the gateway is stopping", { retryAfter: 1 });
    this.#hub.close(
      new A2AError("UNAVAILABLE", "the gateway is stopping: resubscribe", { retryAfter: 1 }),
    );
    this.#recovery.stop();
    await this.#live.drain(graceMs);
  }

  #admit(
    operation: keyof A2AService,
    request: { readonly tenant?: string },
    call: Call,
    hold?: Hold,
  ): Agent {
    if (this.#stopping) throw this.#stopping;
    return admit(this.#gate, { operation, request, call, hold });
  }

  #admitSend(
    operation: "sendMessage" | "sendStreamingMessage",
    request: SendMessageRequest,
    call: Call,
    hold?: Hold,
  ): Agent {
    const agent = this.#admit(operation, request, call, hold);
    const { configuration } = request;
    checkHistoryLength(configuration?.historyLength, "configuration.historyLength");
    if (configuration?.taskPushNotificationConfig) {
      // What comes along with a message is an operation of its own.
      checkPolicy(this.#gate, { agent, operation: "createTaskPushNotificationConfig" }, call);
      if (!agent.card.capabilities.pushNotifications) throw lacking("pushNotifications", agent);
    }
    return agent;
  }

  /** The task that a push config operation is about, once it is clear that the caller may see it. */
  async #scopeOf(
    operation: keyof A2AService,
    request: { readonly tenant?: string; readonly taskId: string },
    call: Call,
  ): Promise<TaskScope> {
    const agent = this.#admit(operation, request, call);
    await loadVisible(this.#store, { agent, call }, request.taskId);
    return {
      agent: agent.id,
      owner: ownerOf(call.principal, agent.sharing),
      taskId: request.taskId,
    };
  }

  /** Most messages bring none, and are not kept waiting. */
  #pushConfigSent(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
  ): Promise<NewPushConfig | undefined> | undefined {
    if (!request.configuration?.taskPushNotificationConfig) return undefined;
    return this.#pushConfigs.sent(agent, request, call);
  }

  async #cancel(agent: Agent, request: CancelTaskRequest, call: Call): Promise<StoredTask> {
    const { id, metadata } = request;
    const find = () => findVisible(this.#store, { agent, call }, id);
    const opened = await this.#live.open(agent, id, find);
    switch (opened.kind) {
      case "live":
        return opened.execution.cancel(metadata);
      case "ended":
        return opened.stored;
      case "unknown":
        throw unknownTask(id);
    }
  }
}

/** 0 is what some gRPC clients send for a size that they leave to the server. */
function pageSizeOf(size: number): number {
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  const description = `must be from 1 to ${MAX_PAGE_SIZE}, got ${size}`;
  throw invalidParams([{ field: "pageSize", description }]);
}
