/** What requests and answers are about: the ids in them, under the same names wherever they are written down. */
import type { Message, Task, TaskOutput } from "../protocol/model.ts";
import { fragmentsOf, isReadyMade } from "../protocol/ready-made.ts";
import type { Call } from "../protocol/service.ts";

export interface CallIds {
  readonly task?: string | undefined;
  readonly context?: string | undefined;
  readonly message?: string | undefined;
  readonly webhook?: string | undefined;
}

/** The agent that a call names; undefined for one that names none. */
export function agentNamed(request: object, { agent }: Pick<Call, "agent">): string | undefined {
  const { tenant } = request as { tenant?: string };
  return agent ?? (tenant === "" ? undefined : tenant);
}

/** The ids of the task or message in an answer. The head of a ready-made task names them first. */
export function idsOut(output: unknown): CallIds {
  if (typeof output !== "object" || output === null) return {};
  if ("message" in output) return { context: (output as { message: Message }).message.contextId };
  const task = "task" in output ? (output as { task: TaskOutput }).task : (output as TaskOutput);
  if (!isReadyMade(task)) {
    if ("status" in task) return { task: task.id, context: task.contextId };
    return "taskId" in task ? webhookIn(task) : {};
  }
  const [head] = fragmentsOf(task);
  const { id, contextId } = JSON.parse(`{${head?.members ?? ""}}`) as Partial<Task>;
  return { task: id, context: contextId };
}

/** The ids that a request names. */
export function idsIn(request: object): CallIds {
  const { id, taskId, message } = request as {
    id?: string;
    taskId?: string;
    message?: { messageId: string; taskId?: string; contextId?: string };
  };
  return {
    task: message ? message.taskId : (taskId ?? id),
    context: message?.contextId,
    message: message?.messageId,
    ...(!message && taskId !== undefined && webhookIn({ id })),
  };
}

function webhookIn({ id }: { readonly id?: unknown }): CallIds {
  return typeof id === "string" ? { webhook: id } : {};
}
