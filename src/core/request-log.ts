/** One line per call, whatever its door: who asked for what, which task it was about, how it ended. */
import { A2AError } from "../protocol/errors.ts";
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
      log.info(fieldsOf(name, request, call, clock.now() - start), "call");
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
    let error: string | undefined;
    try {
      for await (const item of run(request, call)) {
        events++;
        yield item;
      }
    } catch (thrown) {
      error = A2AError.from(thrown).reason;
      throw thrown;
    } finally {
      const fields = fieldsOf(name, request, call, clock.now() - start);
      log.info({ ...fields, events, ...(error && { error }) }, "call");
    }
  };
}

function fieldsOf(operation: OperationName, request: object, call: Call, ms: number): Fields {
  return { request: call.requestId, operation, agent: call.agent, ...idsIn(request), ms };
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
