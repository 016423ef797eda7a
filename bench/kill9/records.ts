/** What the gateway has acknowledged of each task, for the time after the kill. */

export interface StreamedEvent {
  /** The generation; undefined when the event had no id. */
  readonly id: number | undefined;
  readonly data: string;
}

export interface TaskRecord {
  readonly agent: string;
  readonly id: string;
  /** The newest state that an answer or an event told. */
  state: string;
  /** Requests under way that may change the task further. */
  underWay: number;
  /** The artifact's text, once an answer told it. */
  artifact: string | undefined;
  readonly streams: { readonly isSubscription: boolean; readonly events: StreamedEvent[] }[];
}

/** A round's tasks by id. */
export class Records {
  readonly #records = new Map<string, TaskRecord>();

  /** The record of a task, with the state that was just acknowledged. */
  acknowledge(agent: string, id: string, state: string | undefined): TaskRecord {
    const known = this.#records.get(id) ?? {
      agent,
      id,
      state: state ?? "",
      underWay: 0,
      artifact: undefined,
      streams: [],
    };
    // Answers on other connections may be read late: what has ended stays ended.
    if (state !== undefined && !isTerminal(known.state)) known.state = state;
    this.#records.set(id, known);
    return known;
  }

  all(): readonly TaskRecord[] {
    return [...this.#records.values()];
  }
}

export function isTerminal(state: string): boolean {
  return /_(COMPLETED|FAILED|CANCELED|REJECTED)$/.test(state);
}
