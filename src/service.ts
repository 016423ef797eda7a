/** The task service, put together: its limits, and the lines that are written for each call. */
import type { Registry } from "./agents/registry.ts";
import type { OpenAudit } from "./audit.ts";
import type { Config } from "./config/config.ts";
import { audited } from "./core/audited.ts";
import { TaskQuota } from "./core/limits/task-quota.ts";
import type { Agents } from "./core/ports/agent.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { Webhooks } from "./core/ports/webhooks.ts";
import { logged } from "./core/request-log.ts";
import { TaskService } from "./core/task-service.ts";
import type { Gate } from "./gate.ts";
import type { Logger } from "./log.ts";
import type { A2AService } from "./protocol/service.ts";
import type { Stores } from "./store/knex/stores.ts";

/** A stream's reader may lag behind by so many characters, whatever the number of events. */
const STREAM_BUFFER_CHARACTERS = 16 * 1024 * 1024;

export interface ServiceParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly stores: Stores;
  readonly webhooks: Webhooks;
  readonly agents: Agents;
  readonly gate: Pick<Gate, "policy" | "limits">;
}

export function serviceOf({
  config,
  log,
  clock,
  stores,
  webhooks,
  agents,
  gate: { policy, limits },
}: ServiceParts): TaskService {
  const { runningTasks, turns, pageSize, streamBuffer } = config.limits;
  const quota = stores.usage && new TaskQuota(config.limits.quota, stores.usage);
  return new TaskService({
    store: stores.tasks,
    agents,
    policy,
    limits,
    webhooks,
    clock,
    log,
    live: { tasks: runningTasks, turns, quota },
    pageSize,
    streamBuffer: { events: streamBuffer, characters: STREAM_BUFFER_CHARACTERS },
  });
}

export interface LineParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly audit: OpenAudit | undefined;
}

/** The service as the doors call it: with a line for each call in the audit and in the log, where those are wanted. */
export function withLines(service: TaskService, parts: LineParts): A2AService {
  const { config, log, clock, registry: agents, audit } = parts;
  const primary = (): string => agents.roster.primary;
  const shown =
    audit === undefined
      ? service
      : audited(service, { audit, agents, clock, primary, operations: audit.operations });
  const { requests, level } = config.log;
  if (!requests || (level !== "debug" && level !== "info")) return shown;
  return logged(shown, { log, clock, primary, reads: level === "debug" });
}
