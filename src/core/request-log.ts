/** One line per call, whatever its door: who asked for what, which task it was about, how it ended. */
import { A2AError } from "../protocol/errors.ts";
import type { Message, Task, TaskOutput } from "../protocol/model.ts";
import { fragmentsOf, isReadyMade, modelOf } from "../protocol/ready-made.ts";
import {
  OPERATIONS,
  type A2AService,
  type Call,
  type OperationName,
  type StreamItem,
} from "../protocol/service.ts";
import type { Clock, Log } from "./ports.ts";

type Fields = Record<string, string | number | undefined>;

/** The service, with a line in the log for each call once it has ended. */
export function logged(service: A2AService, log: Log, clock: Clock): A2AService {
  const wrapped: Partial<Record<OperationName, unknown>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    wrapped[name] =
      OPERATIONS[name] === "unary"
        ? loggedUnary(name, service, log, clock)
        : loggedStream(name, service, log, clock);
  }
  return wrapped as A2AService;
}

type Unary = (request: object, call: Call) => Promise<unknown>;
type Stream = (request: object, call: Call) => AsyncIterable<StreamItem>;

function loggedUnary(name: OperationName, service: A2AService, log: Log, clock: Clock): Unary {
  const run = (service[name] as Unary).bind(service);
  return async (request, call) => {
    const start = clock.now();
    try {
      const output = await run(request, call);
      const fields = fieldsOf(name, request, call, clock.now() - start);
      log.info({ ...fields, ...idsOut(output) }, "call");
      return output;
    } catch (thrown) {
      const fields = fieldsOf(name, request, call, clock.now() - start);
      log.info({ ...fields, error: A2AError.from(thrown).reason }, "call");
      throw thrown;
    }
  };
}

function loggedStream(name: OperationName, service: A2AService, log: Log, clock: Clock): Stream {
  const run = (service[name] as Stream).bind(service);
  return async function* (request, call) {
    const start = clock.now();
    let events = 0;
    let ids: Fields = {};
    let error: string | undefined;
    try {
      for await (const item of run(request, call)) {
        if (events++ === 0) ids = idsOut(modelOf(item.response));
        yield item;
      }
    } catch (thrown) {
      error = A2AError.from(thrown).reason;
      throw thrown;
    } finally {
      const fields = fieldsOf(name, request, call, clock.now() - start);
      log.info({ ...fields, ...ids, events, ...(error && { error }) }, "call");
    }
  };
}

function fieldsOf(operation: OperationName, request: object, call: Call, ms: number): Fields {
  return { request: call.requestId, operation, agent: call.agent, ...idsIn(request), ms };
}

/** The ids of the task or message in an answer. The head of a ready-made task names them first. */
function idsOut(output: unknown): Fields {
  if (typeof output !== "object" || output === null) return {};
  if ("message" in output) return { context: (output as { message: Message }).message.contextId };
  const task = "task" in output ? (output as { task: TaskOutput }).task : (output as TaskOutput);
  if (!isReadyMade(task)) return "status" in task ? { task: task.id, context: task.contextId } : {};
  const [head] = fragmentsOf(task);
  const { id, contextId } = JSON.parse(`{${head?.members ?? ""}}`) as Partial<Task>;
  return { task: id, context: contextId };
}

/** The ids that a request names, under the same names in every line. */
function idsIn(request: object): Fields {
  const { id, taskId, message } = request as {
    id?: string;
    taskId?: string;
    message?: { messageId: string; taskId?: string; contextId?: string };
  };
  return {
    task: message ? message.taskId : (taskId ?? id),
    context: message?.contextId,
    message: message?.messageId,
  };
}
