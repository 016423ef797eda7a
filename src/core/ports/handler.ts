/** What answers the messages of an agent. Whoever implements the port keeps what it promises, or throws. */
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Artifact, Message, Part, Task } from "../../protocol/model.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { TaskState } from "../../protocol/states.ts";
import type { UpstreamView } from "./agent-control.ts";

/** Where gateways count through how many of them a message has come. */
export const HOPS_HEADER = "a2a-gateway-hops";

/** A message as a handler writes it: core adds the ids and the role. */
export interface HandlerMessage {
  readonly messageId?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** An artifact as a handler writes it. Without an id it gets one; `append` needs the id of an earlier event. */
export interface HandlerArtifact {
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Where a task lives at a remote agent: the ids that it has there. */
export interface Upstream {
  readonly taskId: string;
  readonly contextId: string | undefined;
}

export type HandlerEvent =
  | { readonly kind: "message"; readonly message: HandlerMessage }
  | {
      /**
       * The remote ids, kept with the task's next event and given to later turns. Before the first event of a task,
       * a context that the caller did not name becomes the remote one.
       */
      readonly kind: "upstream";
      readonly taskId: string | undefined;
      readonly contextId: string | undefined;
    }
  | {
      readonly kind: "status";
      readonly state: TaskState;
      readonly message?: HandlerMessage;
      /** Messages that come into the history with it; those that are there are known by their ids. */
      readonly history?: readonly Message[];
      readonly metadata?: JsonObject;
    }
  | {
      readonly kind: "artifact";
      readonly artifact: HandlerArtifact;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
      readonly metadata?: JsonObject;
    }
  | {
      /** The whole task as the agent sees it; merged into the stored one by message and artifact ids. */
      readonly kind: "task";
      readonly state: TaskState;
      readonly message?: HandlerMessage;
      readonly history?: readonly Message[];
      readonly artifacts?: readonly Artifact[];
      readonly metadata?: JsonObject;
    };

/** One turn of an agent: a message to answer, and what the agent may know about it. */
export interface Turn {
  readonly agent: string;
  /** The id that the task has, or will have once the first task event arrives. */
  readonly taskId: string;
  readonly contextId: string;
  /** True when the caller sent the contextId or the task already had it; false when it was made for this turn. */
  readonly contextGiven: boolean;
  readonly message: Message;
  /** The task before this turn; undefined on the first one. */
  readonly task: Task | undefined;
  readonly referencedTasks: readonly Task[];
  /** Where the task lives, once a turn has said so; only for handlers that resume turns. */
  readonly upstream: Upstream | undefined;
  /** Where the tasks live that the message refers to, by their ids here; only for handlers that resume turns. */
  readonly referencedUpstreams: ReadonlyMap<string, Upstream>;
  readonly acceptedOutputModes: readonly string[];
  /** Whether the caller waits for the end of the turn. */
  readonly blocking: boolean;
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[];
  /** Who sent the message; of a turn that is taken up after a restart only what the owner of its task tells. */
  readonly principal: Pick<Principal, "id" | "tenant">;
  /** How many gateways the message has come through; only for handlers that resume turns. */
  readonly hops: number;
  /** Request headers that the agent's configuration allows to pass. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Aborted when the task is canceled, the gateway stops, or another turn has taken over: end soon. A canceled turn is
   * told so by `cancel` right after, and what it still yields counts.
   */
  readonly signal: AbortSignal;
}

/**
 * What answers an agent's messages. `handle` yields events; a message as the only event answers without a task. It
 * ends the task when it ends (COMPLETED, unless it left it interrupted), fails it when it throws, and answers the
 * caller with an error, without a task, when it throws an A2AError before its first event.
 */
export interface Handler {
  handle(turn: Turn): AsyncIterable<HandlerEvent>;
  /**
   * Goes on with a task that lives elsewhere, at `turn.upstream`: after a restart of the gateway, which has cut the
   * turn, or to see it canceled while no turn runs. Yields what has happened since, as `handle` does. A handler that has
   * this works on tasks of which others hold the truth: once it has said where the task lives, a further message does
   * not wait for the turn before it, but takes its place with its first event (the `signal` of the one before is aborted,
   * and nothing that it yields counts any more).
   */
  resume?(turn: Turn): AsyncIterable<HandlerEvent>;
  /**
   * Told once when the turn's task is canceled, after `turn.signal` was aborted, with the metadata of the request;
   * a throw is logged.
   */
  cancel?(turn: Turn, metadata: JsonObject | undefined): Promise<void>;
  /** What the agent behind it says of itself, where it does, as it is now known. */
  card?(): AgentCard | undefined;
  /** How a remote agent is reached now, for those who run the gateway. */
  upstream?(): UpstreamView;
  /** Asks a remote agent for its card now; resolves when that has ended, well or not. */
  refresh?(): Promise<void>;
  /** Ends what outlives a turn (pools, processes). Called once, at the stop of the gateway or of the agent. */
  close?(): Promise<void>;
}
