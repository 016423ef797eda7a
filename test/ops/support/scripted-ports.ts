/** Ports of the Admin API that keep what they are told in memory, and remember what they were asked. */
import {
  AgentControlError,
  type AgentControl,
  type AgentDetail,
} from "../../../src/core/ports/agent-control.ts";
import type { ApiKey, ApiKeyControl } from "../../../src/core/ports/api-key-store.ts";
import type { DeliveryQuery, DeliveryRecord } from "../../../src/core/ports/push-store.ts";
import type { ArchivedTask, TaskArchive, TaskSearch } from "../../../src/core/ports/task-search.ts";
import type { LogEntry, StoredTask } from "../../../src/core/ports/task-store.ts";
import type { AgentCard } from "../../../src/protocol/agent-card.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import type { Task } from "../../../src/protocol/model.ts";
import { modelOf, readyMade } from "../../../src/protocol/ready-made.ts";
import type { TaskState } from "../../../src/protocol/states.ts";
import type { AdminPorts } from "../../../src/ops/admin/ports.ts";

export const T0 = Date.UTC(2026, 0, 31, 12);

export interface ScriptedPorts extends AdminPorts {
  readonly searches: TaskSearch[];
  readonly deliveryQueries: DeliveryQuery[];
  readonly redriven: unknown[];
}

/** What is told of a key that is made. */
export const MADE_KEY = `a2agw_${"K".repeat(49)}`;

/** An instance with a configured agent, a remote one, three tasks, three deliveries and two API keys. */
export function scriptedPorts(): ScriptedPorts {
  const searches: TaskSearch[] = [];
  const deliveryQueries: DeliveryQuery[] = [];
  const redriven: unknown[] = [];
  const tasks = [taskAt(3, "WORKING"), taskAt(2, "COMPLETED"), taskAt(1, "WORKING")];
  return {
    access: { token: undefined, isLoopback: true, callers: undefined },
    agents: scriptedAgents(),
    tasks: scriptedArchive(tasks, searches),
    taskOf: (stored) => modelOf(stored.task),
    async cancelTask(agent, owner, id) {
      const found = tasks.find(({ stored }) => stored.id === id);
      if (found?.stored.agent !== agent || found.stored.owner !== owner)
        throw new A2AError("TASK_NOT_FOUND", `no task ${id}`);
      if (found.stored.status.state === "TASK_STATE_COMPLETED")
        throw new A2AError("TASK_NOT_CANCELABLE", `task ${id} has ended`);
      return { ...modelOf(found.stored.task), status: { state: "TASK_STATE_CANCELED" } };
    },
    keys: scriptedKeys(),
    deliveries: scriptedDeliveries(deliveryQueries, redriven),
    searches,
    deliveryQueries,
    redriven,
  };
}

const CARD: AgentCard = {
  name: "Echo",
  description: "Says it again",
  version: "1",
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const CONFIGURED: AgentDetail = {
  id: "echo",
  origin: "configured",
  kind: "static",
  isEnabled: true,
  isPrimary: true,
  problem: undefined,
  port: undefined,
  name: "Echo",
  description: "Says it again",
  running: 1,
  upstream: undefined,
  definition: { name: "Echo", description: "Says it again" },
  card: CARD,
};

const REMOTE: AgentDetail = {
  ...CONFIGURED,
  id: "weather",
  origin: "added",
  kind: "upstream",
  isPrimary: false,
  problem: undefined,
  port: 8081,
  name: "Weather",
  description: "Knows the weather",
  running: 2,
  definition: {
    name: "Weather",
    description: "Knows the weather",
    upstream: { url: "https://agents.example/weather" },
  },
  card: { ...CARD, name: "Weather", description: "Knows the weather" },
  upstream: {
    isKnown: true,
    fetchedAt: T0,
    problem: undefined,
    interfaces: [
      {
        url: "https://agents.example/weather",
        binding: "JSONRPC",
        version: "1.0",
        breaker: "closed",
        isCurrent: true,
        health: { isUp: false, checkedAt: T0 + 1000, problem: "no answer in time" },
      },
      {
        url: "https://agents.example/weather/v1",
        binding: "HTTP+JSON",
        version: "0.3",
        breaker: "half-open",
        isCurrent: false,
        health: undefined,
      },
    ],
  },
};

function scriptedAgents(): AgentControl {
  const agents = new Map([CONFIGURED, REMOTE].map((agent) => [agent.id, agent]));
  const needed = (id: string): AgentDetail => {
    const found = agents.get(id);
    if (found === undefined)
      throw new AgentControlError("unknown", `no agent ${JSON.stringify(id)}`);
    return found;
  };
  const kept = (agent: AgentDetail): AgentDetail => {
    agents.set(agent.id, agent);
    return agent;
  };
  return {
    list: () => [...agents.values()],
    find: (id) => agents.get(id),
    async add(id, definition) {
      if (agents.get(id)?.origin === "configured")
        throw new AgentControlError("conflict", `agent ${id} stands in the configuration`);
      const { name, description = "" } = definition as Readonly<Record<string, string>>;
      if (name === undefined)
        throw new AgentControlError("invalid", `the definition of ${id} cannot be used`, [
          { path: "name", what: "missing, expected text" },
          { path: "description", what: "missing, expected text" },
        ]);
      return kept({
        ...CONFIGURED,
        id,
        name,
        description,
        origin: "added",
        isPrimary: false,
        running: 0,
        definition: definition as JsonObject,
        card: { ...CARD, name, description },
      });
    },
    async setEnabled(id, isEnabled) {
      const agent = needed(id);
      if (agent.isPrimary && !isEnabled)
        throw new AgentControlError("conflict", `agent ${id} is the primary agent`);
      return kept({ ...agent, isEnabled });
    },
    async remove(id) {
      if (needed(id).origin === "configured")
        throw new AgentControlError("conflict", `agent ${id} stands in the configuration`);
      agents.delete(id);
    },
    async refresh(id) {
      if (needed(id).upstream === undefined)
        throw new AgentControlError("conflict", `agent ${id} is not remote`);
      return needed(id);
    },
    async reload() {
      return { added: ["news"], changed: [], removed: ["old"], later: ["listen"] };
    },
  };
}

/** Task `task-n`, whose status is n minutes old at T0 + 1 h. */
function taskAt(n: number, state: "WORKING" | "COMPLETED"): ArchivedTask {
  const id = `task-${n}`;
  const contextId = "context";
  const status = { state: `TASK_STATE_${state}` satisfies TaskState, timestamp: T0 + n * 60_000 };
  const task: Task = {
    id,
    contextId,
    status: { ...status, timestamp: new Date(status.timestamp).toISOString() },
  };
  const stored: StoredTask = {
    whole: true,
    id,
    agent: n === 2 ? "weather" : "echo",
    owner: n === 3 ? "ann" : "",
    contextId,
    status,
    generation: 3,
    task: readyMade<Task>([{ members: JSON.stringify(task).slice(1, -1) }]),
    tail: [],
  };
  const upstream = n === 2 ? { taskId: "remote-2", contextId: undefined } : undefined;
  return { stored, createdAt: T0, upstream };
}

function scriptedArchive(tasks: readonly ArchivedTask[], searches: TaskSearch[]): TaskArchive {
  return {
    async search(query) {
      searches.push(query);
      return tasks
        .filter((task) => isFound(task, query))
        .slice(0, query.limit)
        .map(({ stored: { status, ...stored }, ...rest }) => ({ ...stored, ...status, ...rest }));
    },
    find: async (id) => tasks.find(({ stored }) => stored.id === id),
    whose: async (id) => tasks.find(({ stored }) => stored.id === id)?.stored,
    async entries(id, after, limit) {
      if (id === "task-2" || !tasks.some(({ stored }) => stored.id === id)) return undefined;
      return entriesOf(id).slice(after, after + limit);
    },
  };
}

function isFound(
  { stored, upstream }: ArchivedTask,
  { agent, owner, contextId, state, from = -Infinity, before = Infinity, id, after }: TaskSearch,
): boolean {
  const { timestamp } = stored.status;
  const isWanted = <Value>(wanted: Value | undefined, ...values: readonly Value[]): boolean =>
    wanted === undefined || values.includes(wanted);
  return (
    isWanted(agent, stored.agent) &&
    isWanted(owner, stored.owner) &&
    isWanted(contextId, stored.contextId) &&
    isWanted(state, stored.status.state) &&
    isWanted(id, stored.id, upstream?.taskId ?? stored.id) &&
    timestamp >= from &&
    timestamp < Math.min(before, after?.timestamp ?? Infinity)
  );
}

function entriesOf(taskId: string): readonly LogEntry[] {
  const status = (state: TaskState): object => ({
    statusUpdate: { taskId, contextId: "context", status: { state } },
  });
  const events = [
    { task: { id: taskId, contextId: "context", status: { state: "TASK_STATE_SUBMITTED" } } },
    status("TASK_STATE_WORKING"),
    { artifactUpdate: { taskId, artifact: { artifactId: "a", parts: [{ text: "hello" }] } } },
  ];
  return events.map((event, index) => ({ generation: index + 1, text: JSON.stringify(event) }));
}

function scriptedDeliveries(
  queries: DeliveryQuery[],
  redriven: unknown[],
): AdminPorts["deliveries"] {
  const records = [1, 2, 3].map((generation): DeliveryRecord => ({
    taskId: "task-1",
    configId: "hook/1",
    agent: "echo",
    owner: "",
    url: "https://hooks.example/",
    generation,
    state: generation === 1 ? "dead" : "due",
    attempts: generation === 1 ? 8 : 0,
    dueAt: T0,
    createdAt: T0,
    updatedAt: T0,
    problem: generation === 1 ? "HTTP 500; given up after 8 tries" : undefined,
  }));
  return {
    async deliveries(query) {
      queries.push(query);
      const { after, limit, state } = query;
      return records
        .filter((record) => state === undefined || record.state === state)
        .filter(({ generation }) => generation > (after?.generation ?? 0))
        .slice(0, limit);
    },
    async redrive(which) {
      redriven.push(which);
      return 1;
    },
    setPaused: async ({ taskId, id }) => taskId === "task-1" && id === "hook/1",
    counts: async () => ({ due: 2, dead: 1, oldestDueAt: T0 }),
    sent: () => ({ delivered: 9, failed: 3, dead: 1, gone: 0 }),
  };
}

function scriptedKeys(): ApiKeyControl {
  const first: ApiKey = {
    id: "key-1",
    hash: "0".repeat(64),
    principal: { id: "billing", tenant: "acme" },
    scopes: ["send"],
    note: "of the build server",
    createdAt: T0,
    expiresAt: T0 + 86_400_000,
    revokedAt: undefined,
    lastUsedAt: T0 + 60_000,
  };
  const second: ApiKey = {
    ...first,
    id: "key-2",
    hash: "1".repeat(64),
    principal: { id: "alice", tenant: "" },
    scopes: [],
    note: undefined,
    expiresAt: undefined,
    revokedAt: T0 + 1000,
    lastUsedAt: undefined,
  };
  const keys = [first, second];
  return {
    unusable: undefined,
    list: async () => keys,
    async issue({ principal, scopes, note, expiry }) {
      const expiresAt = expiry && ("at" in expiry ? expiry.at : T0 + expiry.in);
      const record: ApiKey = {
        ...second,
        id: "key-3",
        principal,
        scopes,
        note,
        expiresAt,
        revokedAt: undefined,
      };
      keys.push(record);
      return { record, key: MADE_KEY };
    },
    revoke: async (id) => keys.some((key) => key.id === id),
  };
}
