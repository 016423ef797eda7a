/** The service, with an entry in the audit for each call once it is decided, whatever its door. */
import { A2AError } from "../protocol/errors.ts";
import { modelOf } from "../protocol/ready-made.ts";
import type { A2AService, Call, OperationName, StreamItem } from "../protocol/service.ts";
import { aroundEach, type Stream, type Unary } from "./around-service.ts";
import { agentNamed, idsIn, idsOut, type CallIds } from "./call-ids.ts";
import { ownerOf } from "./owner.ts";
import type { Agents } from "./ports/agent.ts";
import { decisionOf, type Audit, type CallEntry } from "./ports/audit.ts";
import type { Clock } from "./ports/clock.ts";

export interface AuditedOptions {
  readonly audit: Audit;
  readonly agents: Agents;
  readonly clock: Clock;
  /** The agent of calls that name none. */
  readonly primary: () => string;
  /** Those that have entries; all others pass untouched. */
  readonly operations: ReadonlySet<OperationName>;
}

/** Calls are refused as `Audit.check` says, before anything is done for them. */
export function audited(service: A2AService, options: AuditedOptions): A2AService {
  const { operations } = options;
  return aroundEach(service, {
    unary: (name, run) => (operations.has(name) ? auditedUnary(name, run, options) : run),
    stream: (name, run) => (operations.has(name) ? auditedStream(name, run, options) : run),
  });
}

function auditedUnary(name: OperationName, run: Unary, options: AuditedOptions): Unary {
  return async (request, call) => {
    options.audit.check();
    const entry = openEntry({ name, request, call }, options);
    try {
      const output = await run(request, call);
      entry.allowed(idsOut(output));
      return output;
    } catch (thrown) {
      entry.refused(thrown);
      throw thrown;
    }
  };
}

function auditedStream(name: OperationName, run: Stream, options: AuditedOptions): Stream {
  return (request, call) => {
    options.audit.check();
    const entry = openEntry({ name, request, call }, options);
    try {
      return new AuditedStream(run(request, call)[Symbol.asyncIterator](), entry);
    } catch (thrown) {
      entry.refused(thrown);
      throw thrown;
    }
  };
}

type Step = IteratorResult<StreamItem>;

/** A stream is decided with its first item. */
class AuditedStream implements AsyncIterableIterator<StreamItem> {
  readonly #items: AsyncIterator<StreamItem>;
  #entry: OpenEntry | undefined;
  #isOpening = false;

  constructor(items: AsyncIterator<StreamItem>, entry: OpenEntry) {
    this.#items = items;
    this.#entry = entry;
  }

  async next(): Promise<Step> {
    if (this.#entry === undefined) return this.#items.next();
    this.#isOpening = true;
    try {
      const step = await this.#items.next();
      this.#take()?.allowed(step.done ? {} : idsOut(modelOf(step.value.response)));
      return step;
    } catch (thrown) {
      this.#take()?.refused(thrown);
      throw thrown;
    }
  }

  async return(): Promise<Step> {
    // Once it is asked for its first item something is done for it, whoever waits for that: the item tells what.
    if (!this.#isOpening) this.#take()?.refused(new A2AError("CANCELLED", "the caller went away"));
    return (await this.#items.return?.()) ?? { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): OpenEntry | undefined {
    const entry = this.#entry;
    this.#entry = undefined;
    return entry;
  }
}

interface AskedCall {
  readonly name: OperationName;
  readonly request: object;
  readonly call: Call;
}

/** What is still to be decided. */
interface OpenEntry {
  allowed(ids: CallIds): void;
  refused(thrown: unknown): void;
}

function openEntry(
  { name, request, call }: AskedCall,
  { audit, agents, clock, primary }: AuditedOptions,
): OpenEntry {
  const start = clock.now();
  const { requestId, principal, binding, version, address } = call;
  const agent = agentNamed(request, call) ?? primary();
  const write = (decided: Pick<CallEntry, "decision" | "reason" | "sought">, ids: CallIds): void =>
    audit.write({
      kind: "call",
      requestId,
      principal,
      address,
      binding,
      version,
      agent,
      operation: name,
      ms: clock.now() - start,
      ...idsIn(request),
      ...ids,
      ...decided,
    });
  return {
    allowed: (ids) => write({ decision: "allowed", reason: undefined }, ids),
    refused(thrown) {
      const { reason } = A2AError.from(thrown);
      const decision = decisionOf(reason);
      const asked = reason === "TASK_NOT_FOUND" ? agents.find(agent) : undefined;
      const sought = asked && { agent: asked.id, owner: ownerOf(principal, asked.sharing) };
      write({ decision, reason, ...(sought && { sought }) }, {});
    },
  };
}
