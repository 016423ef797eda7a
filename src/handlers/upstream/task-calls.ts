/** The calls to a remote agent about one task, as one turn of it makes them. */
import { HOPS_HEADER, type Turn } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import type {
  CancelTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  Task,
} from "../../protocol/model.ts";
import type { Signal } from "../cut.ts";
import { isBusy, isPassing } from "./failures.ts";
import type { OpenedStream, Place, Remote, RemoteCall } from "./remote.ts";

/** More than any chain of gateways that somebody means to have. */
const MOST_HOPS = 8;

export interface Asking {
  readonly signal: Signal;
  /** Whether it is to find out if the agent is back. Default: no. */
  readonly isScout?: boolean;
}

/** Each call throws as those of `Remote` do, and ends with its signal. */
export class TaskCalls {
  readonly #turn: Turn;
  readonly #remote: Remote;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #place: Place = { at: undefined };
  #takesSubscribers = true;

  constructor(turn: Turn, remote: Remote) {
    this.#turn = turn;
    this.#remote = remote;
    const hops = String(turn.hops + 1);
    this.#headers = Object.assign({}, turn.headers, { [HOPS_HEADER]: hops });
  }

  /** Throws INVALID_REQUEST for a message that goes from gateway to gateway. */
  checkHops(): void {
    if (this.#turn.hops < MOST_HOPS) return;
    const text = `the message has come through ${MOST_HOPS} gateways: agents may lead to one another`;
    throw new A2AError("INVALID_REQUEST", text);
  }

  /** Undefined where the agent does not stream, whatever its card says. */
  async sendStreamingMessage(
    request: SendMessageRequest,
    signal: Signal,
  ): Promise<OpenedStream | undefined> {
    if (!this.#streams) return undefined;
    try {
      return await this.#remote.open("sendStreamingMessage", request, this.#call(signal));
    } catch (thrown) {
      if (A2AError.is(thrown) && thrown.reason === "UNSUPPORTED_OPERATION") return undefined;
      throw thrown;
    }
  }

  /**
   * The agent answers at once, where it can: with the task's id, whatever becomes of the call can be asked for. A call
   * that is cut before its answer leaves a task behind that nobody can name.
   */
  sendMessage(sent: SendMessageRequest, signal: Signal): Promise<SendMessageResponse> {
    const configuration = Object.assign({}, sent.configuration, { returnImmediately: true });
    const request = Object.assign({}, sent, { configuration });
    return this.#remote.call("sendMessage", request, this.#call(signal));
  }

  /** Undefined where there is no stream of the task: it has ended, nobody can subscribe to any, or too many do. */
  async subscribeToTask(id: string, asking: Asking): Promise<OpenedStream | undefined> {
    const { signal } = asking;
    if (!this.#takesSubscribers || !this.#streams || this.#isOlder) return undefined;
    try {
      return await this.#remote.open("subscribeToTask", { id }, this.#call(signal, asking));
    } catch (thrown) {
      if (!signal.aborted && isBusy(thrown)) return undefined;
      if (signal.aborted || isPassing(thrown)) throw thrown;
      // Some agents know only running tasks here: whether they know it at all is what getTask tells.
      this.#takesSubscribers = false;
      return undefined;
    }
  }

  getTask(id: string, asking: Asking): Promise<Task> {
    return this.#remote.call("getTask", { id }, this.#call(asking.signal, asking));
  }

  cancelTask(request: CancelTaskRequest, signal: Signal): Promise<Task> {
    return this.#remote.call("cancelTask", request, this.#call(signal));
  }

  get #streams(): boolean {
    return this.#remote.discovered().card.capabilities.streaming === true;
  }

  /**
   * Servers of 0.3 begin without a snapshot, and there are widespread ones that write each chunk down once for each
   * subscriber.
   */
  get #isOlder(): boolean {
    const [first] = this.#remote.discovered().interfaces;
    return (this.#place.at ?? first)?.version === "0.3";
  }

  #call(signal: Signal, { isScout = false }: Partial<Asking> = {}): RemoteCall {
    const { extensions } = this.#turn;
    return { headers: this.#headers, extensions, signal, place: this.#place, isScout };
  }
}
