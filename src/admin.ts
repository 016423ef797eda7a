/** The Admin API, put together: what it works with, and who may use it. */
import type { Registry } from "./agents/registry.ts";
import { taskOf } from "./core/apply-event.ts";
import { foldStored } from "./core/log-entry.ts";
import { operatorCall } from "./core/operator-call.ts";
import type { AgentControl } from "./core/ports/agent-control.ts";
import type { Audit } from "./core/ports/audit.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { TaskArchive } from "./core/ports/task-search.ts";
import type { TaskService } from "./core/task-service.ts";
import type { ApiKeyControl } from "./core/ports/api-key-store.ts";
import { isLoopback } from "./loopback.ts";
import type { AdminAccess, AdminPorts } from "./ops/admin/ports.ts";
import { A2AError } from "./protocol/errors.ts";
import type { OpenWebhooks } from "./webhooks.ts";

export interface AdminParts {
  readonly access: {
    /** What callers have to send; undefined: nothing, where only this machine can call. */
    readonly token: string | undefined;
    /** Where the operations port is; undefined: nowhere. */
    readonly host: string | undefined;
    /** Callers of the agents that may come too. */
    readonly callers: AdminAccess["callers"];
  };
  /** Undefined: nobody writes down what operators do. */
  readonly audit: Audit | undefined;
  readonly apiKeys: ApiKeyControl;
  readonly control: AgentControl;
  readonly archive: TaskArchive;
  readonly webhooks: Pick<OpenWebhooks, "control">;
  readonly service: Pick<TaskService, "cancelTask">;
  readonly registry: Registry;
  readonly clock: Clock;
}

export function adminOf({
  access: { token, host = "", callers },
  audit,
  apiKeys,
  control,
  archive,
  webhooks,
  ...parts
}: AdminParts): AdminPorts {
  const { service, registry, clock } = parts;
  return {
    access: { token, isLoopback: isLoopback(host), callers },
    audit,
    agents: control,
    tasks: archive,
    taskOf: (stored) => taskOf(foldStored(stored)),
    async cancelTask(id, owner, task) {
      const agent = registry.find(id);
      if (agent === undefined) throw new A2AError("UNAVAILABLE", `agent ${id} is not served`);
      return service.cancelTask({ id: task }, operatorCall(agent, owner, clock.newId()));
    },
    keys: apiKeys,
    deliveries: webhooks.control,
  };
}
