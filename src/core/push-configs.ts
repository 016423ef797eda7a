/** The webhooks of tasks (spec 3.1.7 to 3.1.10), and those that come with a message (spec 3.2.2). */
import { A2AError, invalidParams, type FieldViolation } from "../protocol/errors.ts";
import type {
  Empty,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "../protocol/model.ts";
import type { Call } from "../protocol/service.ts";
import { ownerOf } from "./owner.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { PushConfig, TaskScope } from "./ports/push-store.ts";
import type { Webhooks } from "./ports/webhooks.ts";

/** A webhook that is registered once its task has an event to tell. */
export type NewPushConfig = Omit<PushConfig, "since" | "createdAt">;

/** The id that 0.3 gives to a config that comes without one. */
const UNNAMED = "default";

/** Whose task it is has been checked before any of these is asked. */
export class PushConfigs {
  readonly #webhooks: Webhooks;
  readonly #clock: Clock;

  constructor(webhooks: Webhooks, clock: Clock) {
    this.#webhooks = webhooks;
    this.#clock = clock;
  }

  /** Throws INVALID_PARAMS for a config that cannot be called, and when the task has too many. */
  async create(
    agent: Agent,
    request: TaskPushNotificationConfig,
    call: Call,
  ): Promise<TaskPushNotificationConfig> {
    const { taskId = "" } = request;
    this.#check(request, "");
    const config = this.#configOf(agent, taskId, request, call);
    const kept = await this.#webhooks.configs.put(config, this.#webhooks.limit);
    // It may have replaced one of that id, to which nothing more is sent.
    if (request.id) await this.#webhooks.forget({ taskId, id: kept.id });
    return outputOf(kept);
  }

  /**
   * An empty id, which 1.0 does not have, names the config that 0.3 registered without an id, else the only one. Throws
   * TASK_NOT_FOUND for a config that is not there.
   */
  async get(
    scope: TaskScope,
    { id }: GetTaskPushNotificationConfigRequest,
  ): Promise<TaskPushNotificationConfig> {
    const { configs } = this.#webhooks;
    const config = await (id === "" ? this.#unnamed(scope) : configs.find(scope, id));
    if (config) return outputOf(config);
    const text = `task ${scope.taskId} has no push notification config ${JSON.stringify(id || UNNAMED)}`;
    throw new A2AError("TASK_NOT_FOUND", text);
  }

  async list(
    scope: TaskScope,
    { pageSize = 0, pageToken }: ListTaskPushNotificationConfigsRequest,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const { configs, limit } = this.#webhooks;
    if (pageSize < 0)
      throw invalidParams([{ field: "pageSize", description: `must not be negative` }]);
    const size = pageSize === 0 ? limit : Math.min(pageSize, limit);
    // The token is the id that the page before ended with.
    const found = await configs.list(scope, pageToken || undefined, size + 1);
    const page = found.slice(0, size);
    const last = found.length > size ? page.at(-1) : undefined;
    return { configs: page.map(outputOf), ...(last && { nextPageToken: last.id }) };
  }

  /** Nothing is sent to the config any more once this resolves. */
  async remove(scope: TaskScope, { id }: GetTaskPushNotificationConfigRequest): Promise<Empty> {
    await this.#webhooks.configs.remove(scope, id);
    await this.#webhooks.forget({ taskId: scope.taskId, id });
    return {};
  }

  /**
   * The webhook that comes with a message, if one does. Throws INVALID_PARAMS as `create` does, and for one that names
   * another task than the message.
   */
  async sent(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
  ): Promise<NewPushConfig | undefined> {
    const given = request.configuration?.taskPushNotificationConfig;
    if (given === undefined) return undefined;
    const { taskId = "" } = request.message;
    const path = "configuration.taskPushNotificationConfig";
    if (given.taskId && given.taskId !== taskId)
      throw invalidParams([
        { field: `${path}.taskId`, description: "names another task than the message" },
      ]);
    this.#check(given, `${path}.`);
    const config = this.#configOf(agent, taskId, given, call);
    if (taskId !== "") await this.#checkRoom(config, path);
    return config;
  }

  async #unnamed(scope: TaskScope): Promise<PushConfig | undefined> {
    const { configs } = this.#webhooks;
    const [only, other] = await configs.list(scope, undefined, 2);
    return other === undefined ? only : configs.find(scope, UNNAMED);
  }

  #check(config: TaskPushNotificationConfig, prefix: string): void {
    const violations = this.#webhooks.check(config);
    if (violations.length === 0) return;
    throw invalidParams(
      violations.map(({ field, description }): FieldViolation => ({
        field: prefix + field,
        description,
      })),
    );
  }

  async #checkRoom({ id, ...scope }: NewPushConfig, path: string): Promise<void> {
    const { configs, limit } = this.#webhooks;
    const known = await configs.list(scope, undefined, limit);
    if (known.length < limit || known.some((each) => each.id === id)) return;
    const description = `the task has ${limit} configs already`;
    throw invalidParams([{ field: path, description }]);
  }

  #configOf(
    agent: Agent,
    taskId: string,
    { id, url, token, authentication }: TaskPushNotificationConfig,
    call: Call,
  ): NewPushConfig {
    return {
      taskId,
      id: id || this.#clock.newId(),
      agent: agent.id,
      owner: ownerOf(call.principal, agent.sharing),
      url,
      token: token || undefined,
      authentication,
      version: call.version,
      interest: agent.pushInterest ?? "default",
    };
  }
}

function outputOf({
  taskId,
  id,
  url,
  token,
  authentication,
}: PushConfig): TaskPushNotificationConfig {
  return {
    taskId,
    id,
    url,
    ...(token !== undefined && { token }),
    ...(authentication && { authentication }),
  };
}
