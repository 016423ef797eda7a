/** One line per call, whatever its door: who asked for what, which task it was about, how it ended. */
import { A2AError } from "../protocol/errors.ts";
import { modelOf } from "../protocol/ready-made.ts";
import type { A2AService, Call, OperationName, StreamItem } from "../protocol/service.ts";
import { aroundEach, type Stream, type Unary } from "./around-service.ts";
import { agentNamed, idsIn, idsOut, type CallIds } from "./call-ids.ts";
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";

type Fields = Record<string, string | number | undefined>;

/** Reads change nothing and come often: only those that fail are worth a line each. */
const READS: ReadonlySet<OperationName> = new Set([
  "getTask",
  "listTasks",
  "getExtendedAgentCard",
  "getTaskPushNotificationConfig",
  "listTaskPushNotificationConfigs",
]);

export interface RequestLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** The agent of calls that name none. */
  readonly primary: () => string;
  /** A line for reads that succeed, too, at level debug. */
  readonly reads: boolean;
}

/** The service, with a line in the log for each call once it has ended. */
export function logged(service: A2AService, options: RequestLogOptions): A2AService {
  return aroundEach(service, {
    unary: (name, run) => loggedUnary(name, run, options),
    stream: (name, run) => loggedStream(name, run, options),
  });
}

function loggedUnary(
  name: OperationName,
  run: Unary,
  { log, clock, primary, reads }: RequestLogOptions,
): Unary {
  const isRead = READS.has(name);
  return async (request, call) => {
    const start = clock.now();
    try {
      const output = await run(request, call);
      if (isRead && !reads) return output;
      const fields = fieldsOf({ name, request, call, primary: primary(), ms: clock.now() - start });
      log[isRead ? "debug" : "info"](Object.assign(fields, idsOut(output)), "call");
      return output;
    } catch (thrown) {
      if (isPastLimit(thrown)) throw thrown;
      const fields = fieldsOf({ name, request, call, primary: primary(), ms: clock.now() - start });
      log.info(Object.assign(fields, { error: A2AError.from(thrown).reason }), "call");
      throw thrown;
    }
  };
}

function loggedStream(
  name: OperationName,
  run: Stream,
  { log, clock, primary }: RequestLogOptions,
): Stream {
  return (request, call) => {
    const start = clock.now();
    const items = run(request, call)[Symbol.asyncIterator]();
    return new LoggedStream(items, (ids, events, error) => {
      if (error && isPastLimit(error)) return;
      const fields = fieldsOf({ name, request, call, primary: primary(), ms: clock.now() - start });
      log.info(Object.assign(fields, ids, { events, error: error?.reason }), "call");
    });
  };
}

/** A flood is not to become one of the log: whoever refuses what is past a limit has told of it, as often as it is good for. */
function isPastLimit(thrown: unknown): boolean {
  return A2AError.is(thrown) && thrown.reason === "RATE_LIMITED" && thrown.reported;
}

type Step = IteratorResult<StreamItem>;

/** Told once how a stream ended: the ids in its first item, how many items there were, and its error. */
type Ended = (ids: CallIds, events: number, error: A2AError | undefined) => void;

class LoggedStream implements AsyncIterableIterator<StreamItem> {
  readonly #items: AsyncIterator<StreamItem>;
  #ended: Ended | undefined;
  #ids: CallIds = {};
  #events = 0;

  constructor(items: AsyncIterator<StreamItem>, ended: Ended) {
    this.#items = items;
    this.#ended = ended;
  }

  async next(): Promise<Step> {
    try {
      const step = await this.#items.next();
      if (step.done) this.#end(undefined);
      else if (this.#events++ === 0) this.#ids = idsOut(modelOf(step.value.response));
      return step;
    } catch (thrown) {
      this.#end(A2AError.from(thrown));
      throw thrown;
    }
  }

  async return(): Promise<Step> {
    this.#end(undefined);
    return (await this.#items.return?.()) ?? { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(error: A2AError | undefined): void {
    this.#ended?.(this.#ids, this.#events, error);
    this.#ended = undefined;
  }
}

interface EndedCall {
  readonly name: OperationName;
  readonly request: object;
  readonly call: Call;
  readonly primary: string;
  readonly ms: number;
}

function fieldsOf({ name, request, call, primary, ms }: EndedCall): Fields {
  const agent = agentNamed(request, call) ?? primary;
  const { requestId, version } = call;
  return { request: requestId, operation: name, version, agent, ms, ...idsIn(request) };
}
