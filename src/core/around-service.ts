/** A service with something around each of its operations; the one place that lets go of what they take and answer. */
import {
  OPERATIONS,
  type A2AService,
  type Call,
  type OperationName,
  type StreamItem,
} from "../protocol/service.ts";

export type Unary = (request: object, call: Call) => Promise<unknown>;
export type Stream = (request: object, call: Call) => AsyncIterable<StreamItem>;

/** What is called in place of an operation: it answers what `run` answers, or throws. */
export interface Around {
  unary(name: OperationName, run: Unary): Unary;
  stream(name: OperationName, run: Stream): Stream;
}

export function aroundEach(service: A2AService, { unary, stream }: Around): A2AService {
  const wrapped: Partial<Record<OperationName, unknown>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[])
    wrapped[name] =
      OPERATIONS[name] === "unary"
        ? unary(name, (service[name] as Unary).bind(service))
        : stream(name, (service[name] as Stream).bind(service));
  return wrapped as A2AService;
}
