/**
 * What a remote agent says of a task, as what is new to it here: each artifact, message and state once, however often
 * the agent repeats them in snapshots and on streams that were taken up again.
 */
import type { HandlerEvent, Turn } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Message, StreamResponse, Task, TaskStatus } from "../../protocol/model.ts";
import { modelOf } from "../../protocol/ready-made.ts";
import { isInterrupted, isTerminal, type TaskState } from "../../protocol/states.ts";
import { ArtifactRelay } from "./artifact-relay.ts";
import { handlerMessageOf, SaidMessages } from "./said-messages.ts";

export interface RelaySettings {
  /** The state that the task has here before the agent says anything. */
  readonly state: TaskState;
  /** More events than so many are INVALID_AGENT_RESPONSE. */
  readonly maxEvents: number;
}

export class Relay {
  readonly #maxEvents: number;
  readonly #artifacts: ArtifactRelay;
  readonly #messages: SaidMessages;
  /** The status that the turn's message answers: a stream may begin with it. */
  #answered: TaskStatus | undefined;
  #state: TaskState;
  /** The newest state that the agent has told. */
  #told: TaskState | undefined;
  #taskId: string | undefined;
  #contextId: string | undefined;
  #isTakenUp = false;
  #events = 0;

  constructor({ task, upstream, message }: Turn, { state, maxEvents }: RelaySettings) {
    this.#state = state;
    this.#maxEvents = maxEvents;
    this.#taskId = upstream?.taskId;
    this.#contextId = upstream?.contextId;
    this.#artifacts = new ArtifactRelay(task?.artifacts ?? []);
    this.#messages = new SaidMessages(message, task);
    if (task && isInterrupted(task.status.state) && state !== task.status.state)
      this.#answered = task.status;
  }

  /** The id that the task has at the agent, once it has said so. */
  get taskId(): string | undefined {
    return this.#taskId;
  }

  get contextId(): string | undefined {
    return this.#contextId;
  }

  /** The newest state that the agent has told; undefined while it has told none. */
  get told(): TaskState | undefined {
    return this.#told;
  }

  /** Whether the agent sent chunks of which only a snapshot tells whether they are new. */
  get isMissing(): boolean {
    return this.#artifacts.isMissing;
  }

  /** Whether an event ends the turn while it is not known that all of the task's artifacts is here. */
  endsEarly(response: StreamResponse): boolean {
    if (!("statusUpdate" in response)) return false;
    const { state } = response.statusUpdate.status;
    return endsTurn(state) && this.#artifacts.isIncomplete;
  }

  /** A further stream of the task begins, after one that was not read to its end. */
  takeUp(): void {
    this.#isTakenUp = true;
    this.#artifacts.takeUp();
  }

  /** What is new in an event. Throws INVALID_AGENT_RESPONSE for one of another task, and past the limit of events. */
  of(response: StreamResponse): readonly HandlerEvent[] {
    const news: HandlerEvent[] = [];
    this.addNews(response, news);
    return news;
  }

  /** What is new in an event is added to `news`, of which there are many at a time. Throws as `of` does. */
  addNews(response: StreamResponse, news: HandlerEvent[]): void {
    if (++this.#events > this.#maxEvents)
      throw wrong(`the agent sent more than ${this.#maxEvents} events`);
    if ("task" in response) return this.#ofTask(modelOf(response.task), true, news);
    this.#answered = undefined;
    if ("message" in response) return this.#ofMessage(response.message, news);
    if ("statusUpdate" in response) {
      const { taskId, contextId, status, metadata } = response.statusUpdate;
      this.#place(taskId, contextId, news);
      this.#ofStatus(status, { metadata, isRepeating: this.#isTakenUp }, news);
    } else {
      const { taskId, contextId } = response.artifactUpdate;
      this.#place(taskId, contextId, news);
      this.#artifacts.ofUpdate(response.artifactUpdate, news);
    }
  }

  /** What is new in a snapshot that is no event of a stream. */
  ofTask(task: Task): readonly HandlerEvent[] {
    const news: HandlerEvent[] = [];
    this.#answered = undefined;
    this.#ofTask(task, false, news);
    return news;
  }

  #ofTask(task: Task, isOfStream: boolean, news: HandlerEvent[]): void {
    this.#place(task.id, task.contextId, news);
    const { status, metadata, artifacts = [] } = task;
    this.#artifacts.ofSnapshot(artifacts, isOfStream, news);
    if (isTerminal(status.state)) this.#artifacts.end(news);
    const isAnswered = this.#isAnswered(status);
    this.#answered = undefined;
    if (isAnswered) return;
    const history = this.#messages.newIn(task.history ?? [], status.message);
    this.#ofStatus(status, { history, metadata, isRepeating: true }, news);
  }

  #ofMessage(message: Message, news: HandlerEvent[]): void {
    const { contextId } = message;
    news.push({ kind: "upstream", taskId: undefined, contextId: contextId || undefined });
    news.push({ kind: "message", message: handlerMessageOf(message) });
    this.#told = "TASK_STATE_COMPLETED";
  }

  #place(taskId: string, contextId: string | undefined, news: HandlerEvent[]): void {
    if (this.#taskId !== undefined && taskId !== this.#taskId)
      throw wrong("the agent answered with an event of another task");
    const known = contextId || this.#contextId;
    if (this.#taskId === taskId && this.#contextId === known) return;
    this.#taskId = taskId;
    this.#contextId = known;
    news.push({ kind: "upstream", taskId, contextId: known });
  }

  #ofStatus(
    { state, message }: TaskStatus,
    { history = [], metadata, isRepeating }: StatusCircumstances,
    news: HandlerEvent[],
  ): void {
    const isNewMessage = message !== undefined && !this.#messages.isKnown(message, isRepeating);
    // A state of a later version ends nothing; a task that goes on was submitted before.
    const isVague = state === "TASK_STATE_UNSPECIFIED" || state === "TASK_STATE_SUBMITTED";
    const known = isVague ? this.#state : state;
    const isNews = known !== this.#state || isNewMessage || history.length > 0;
    this.#state = known;
    this.#told = state;
    if (!isNews) return;
    if (message) this.#messages.add(message);
    const said = message && handlerMessageOf(message);
    news.push(
      Object.assign(
        { kind: "status" as const, state: known },
        said && { message: said },
        history.length > 0 && { history },
        metadata && { metadata },
      ),
    );
  }

  /** The agent's first snapshot may be of the time before it took the message. */
  #isAnswered({ state, message }: TaskStatus): boolean {
    const { state: before, message: question } = this.#answered ?? {};
    return state === before && (message?.messageId || "") === (question?.messageId ?? "");
  }
}

interface StatusCircumstances {
  readonly history?: readonly Message[];
  readonly metadata: Task["metadata"];
  /** Whether the agent may be telling what it has told before. */
  readonly isRepeating: boolean;
}

/** Whether the agent has said all that it has to say to a message. */
export function endsTurn(state: TaskState): boolean {
  return isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED";
}

function wrong(text: string): A2AError {
  return new A2AError("INVALID_AGENT_RESPONSE", text);
}
