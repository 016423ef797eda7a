/** The one gate that every operation passes before it does anything: which agent, and may this call be made of it. */
import { A2AError, invalidParams } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Call, OperationName } from "../protocol/service.ts";
import type { Agent, Agents } from "./ports/agent.ts";
import type { CallLimits, StreamSlot } from "./ports/call-limits.ts";
import type { Policy } from "./ports/policy.ts";

type Capability = "streaming" | "pushNotifications";

/** What the agent's card must declare for an operation to be there (spec 3.3.4). */
const NEEDS: Readonly<Record<OperationName, Capability | undefined>> = {
  sendMessage: undefined,
  sendStreamingMessage: "streaming",
  getTask: undefined,
  listTasks: undefined,
  cancelTask: undefined,
  subscribeToTask: "streaming",
  createTaskPushNotificationConfig: "pushNotifications",
  getTaskPushNotificationConfig: "pushNotifications",
  listTaskPushNotificationConfigs: "pushNotifications",
  deleteTaskPushNotificationConfig: "pushNotifications",
  getExtendedAgentCard: undefined,
};

export interface Gate {
  readonly agents: Agents;
  /** Undefined where everybody may do everything. */
  readonly policy: Policy | undefined;
  /** Undefined where nothing is counted. */
  readonly limits: CallLimits | undefined;
}

/** Takes over the slot of a stream, which it has to leave. */
export type Hold = (slot: StreamSlot) => void;

/** What of a request is looked at. */
interface Request {
  readonly tenant?: string;
  readonly message?: { readonly metadata?: JsonObject };
  readonly metadata?: JsonObject;
}

export interface Admitted {
  readonly operation: OperationName;
  readonly request: Request;
  readonly call: Call;
  /** Undefined for what is no stream. */
  readonly hold?: Hold | undefined;
}

/**
 * The agent that a request is for. Throws INVALID_PARAMS when its tenant names no agent or another one than its
 * address, METHOD_NOT_FOUND when its address names none, EXTENSION_SUPPORT_REQUIRED when the agent requires an extension that the
 * caller did not declare (spec 4.6), and the error of spec 3.3.4 when the agent lacks the capability. Before all of these
 * but the first two, FORBIDDEN for what the policy does not allow, and then RATE_LIMITED: whoever may not call an agent
 * learns nothing of its limits.
 */
export function admit(
  { agents, policy, limits }: Gate,
  { operation, request, call, hold }: Admitted,
): Agent {
  const agent = agentOf(agents, request.tenant, call);
  checkPolicy({ policy }, { agent, operation, skill: skillOf(request) }, call);
  const slot = limits?.enter({ agent, operation, call });
  if (slot) hold?.(slot);
  for (const { uri, required } of agent.card.capabilities.extensions ?? []) {
    if (required && uri !== undefined && !call.extensions.includes(uri)) {
      const text = `agent ${agent.id} requires the extension ${uri}`;
      throw new A2AError("EXTENSION_SUPPORT_REQUIRED", text, { metadata: { extension: uri } });
    }
  }
  if (call.extensions.length > 0) activate(agent, call);
  const need = NEEDS[operation];
  if (need !== undefined && !agent.card.capabilities[need]) throw lacking(need, agent);
  return agent;
}

/** Throws FORBIDDEN for what the policy does not allow; those who run the gateway may do everything. */
export function checkPolicy(
  { policy }: Pick<Gate, "policy">,
  {
    agent,
    operation,
    skill,
  }: {
    readonly agent: Agent;
    readonly operation: OperationName;
    readonly skill?: string | undefined;
  },
  { principal }: Call,
): void {
  if (principal.method !== "operator") policy?.check({ principal, agent, operation, skill });
}

/** The protocol has no member for it. */
function skillOf({ message, metadata }: Request): string | undefined {
  const named = message?.metadata?.["skillId"] ?? metadata?.["skillId"];
  return typeof named === "string" ? named : undefined;
}

function activate(agent: Agent, call: Call): void {
  const own = new Set(agent.card.capabilities.extensions?.map(({ uri }) => uri));
  const activated = call.extensions.filter((uri) => own.has(uri));
  if (activated.length > 0) call.activate(activated);
}

export function lacking(capability: Capability, agent: Agent): A2AError {
  return capability === "streaming"
    ? new A2AError("UNSUPPORTED_OPERATION", `agent ${agent.id} does not stream`)
    : new A2AError("PUSH_NOTIFICATION_NOT_SUPPORTED", `agent ${agent.id} sends no notifications`);
}

function agentOf(agents: Agents, tenant: string | undefined, call: Call): Agent {
  if (tenant !== undefined && tenant !== "") {
    if (call.agent !== undefined && call.agent !== tenant) {
      const description = `names another agent than the address, which is that of ${call.agent}`;
      throw invalidParams([{ field: "tenant", description }]);
    }
    const agent = agents.find(tenant);
    if (agent) return agent;
    throw invalidParams([{ field: "tenant", description: `no agent ${JSON.stringify(tenant)}` }]);
  }
  const agent = agents.find(call.agent);
  if (agent) return agent;
  const name = call.agent === undefined ? "here" : JSON.stringify(call.agent);
  throw new A2AError("METHOD_NOT_FOUND", `no agent ${name}`);
}
