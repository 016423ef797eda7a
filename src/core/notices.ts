/** What a webhook is told of an event, read from the log of its task. */
import { applyEvent, liveTaskOf, taskOf, type LiveTask, type TaskEvent } from "./apply-event.ts";
import { eventOf, foldStored } from "./log-entry.ts";
import type { Claim } from "./ports/push-store.ts";
import type { TaskArchive } from "./ports/task-search.ts";
import type { LogEntry } from "./ports/task-store.ts";
import type { EventNotice, TaskNotice } from "./ports/webhooks.ts";

/** Log entries that are read at a time. */
const PAGE = 500;
/** Entries are read together with those after them that a claim is of too, as long as they are small. */
const AHEAD_BYTES = 64 * 1024;
/** Tasks that are kept as far as they were read, for the next event: those that were read last, and how large they may be. */
const KEPT = 256;
const KEPT_CHARACTERS = 16 * 1024 * 1024;

interface Replay {
  readonly live: LiveTask;
  generation: number;
  /** Of the entries that it was made from. */
  characters: number;
}

export class Notices {
  readonly #archive: TaskArchive;
  readonly #replays = new Map<string, Replay>();
  /** What was read last for claims that are not told of all of it yet. */
  readonly #ahead = new WeakMap<Claim, readonly LogEntry[]>();
  #characters = 0;

  constructor(archive: TaskArchive) {
    this.#archive = archive;
  }

  /**
   * The event of that generation for a claim, or the task as it left it where that says more: when the config hears of
   * the task for the first time and has missed its beginning, and when the log no longer has the event. Undefined when
   * the task is gone.
   */
  async event(claim: Claim, generation: number): Promise<EventNotice | undefined> {
    const { config } = claim;
    if (config.since > 0 && isFirst(claim, generation)) return this.#wholeTask(claim, generation);
    const event = await this.#eventAt(claim, generation);
    if (event === undefined) return this.#wholeTask(claim, generation);
    if ("task" in event) return { response: { task: event.task } };
    if ("statusUpdate" in event) return { response: { statusUpdate: event.statusUpdate } };
    const { artifactUpdate } = event;
    if (!artifactUpdate.append || config.interest === "all")
      return { response: { artifactUpdate } };
    return this.#wholeArtifact(claim, generation, artifactUpdate.artifact.artifactId);
  }

  /** The task as the event of that generation left it, or as it is now where the log does not tell; undefined: gone. */
  async task(claim: Claim, generation: number): Promise<TaskNotice | undefined> {
    const live = await this.#taskAt(claim, generation);
    return live && { task: taskOf(live) };
  }

  async #wholeTask(claim: Claim, generation: number): Promise<EventNotice | undefined> {
    const whole = await this.task(claim, generation);
    return whole && { response: { task: whole.task } };
  }

  /** Whoever does not hear of the pieces is told the whole when the last one is there. */
  async #wholeArtifact(
    claim: Claim,
    generation: number,
    artifactId: string,
  ): Promise<EventNotice | undefined> {
    const whole = await this.task(claim, generation);
    if (whole === undefined) return undefined;
    const artifact = whole.task.artifacts?.find((each) => each.artifactId === artifactId);
    if (artifact === undefined) return { response: { task: whole.task } };
    const { id: taskId, contextId = "" } = whole.task;
    return { response: { artifactUpdate: { taskId, contextId, artifact, lastChunk: true } } };
  }

  async #eventAt(claim: Claim, generation: number): Promise<TaskEvent | undefined> {
    const isIt = (entry: LogEntry): boolean => entry.generation === generation;
    const entry =
      this.#ahead.get(claim)?.find(isIt) ?? (await this.#readAhead(claim, generation)).find(isIt);
    return entry && eventOf(entry.text);
  }

  async #readAhead(claim: Claim, generation: number): Promise<readonly LogEntry[]> {
    const { config, deliveries } = claim;
    const after = generation - 1;
    const limit = Math.min(PAGE, Math.max(1, (deliveries.at(-1)?.generation ?? 0) - after));
    const entries = (await this.#archive.entries(config.taskId, after, limit, AHEAD_BYTES)) ?? [];
    this.#ahead.set(claim, entries);
    return entries;
  }

  async #taskAt({ config }: Claim, generation: number): Promise<LiveTask | undefined> {
    const { taskId } = config;
    const name = JSON.stringify([taskId, config.id]);
    const known = this.#take(name);
    const start = known && known.generation <= generation ? known : undefined;
    const replay = await this.#replayed(taskId, generation, start);
    if (replay === undefined) {
      const found = await this.#archive.find(taskId);
      return found && foldStored(found.stored);
    }
    this.#keep(name, replay);
    return replay.live;
  }

  /** From the beginning, or from where the last event for the same config left it; undefined when the log has a gap. */
  async #replayed(
    taskId: string,
    generation: number,
    start: Replay | undefined,
  ): Promise<Replay | undefined> {
    let replay = start;
    while ((replay?.generation ?? 0) < generation) {
      const after = replay?.generation ?? 0;
      const limit = Math.min(PAGE, generation - after);
      const entries = await this.#archive.entries(taskId, after, limit);
      if (entries === undefined || entries.length === 0) return undefined;
      replay = withEntries(replay, entries);
      if (replay === undefined) return undefined;
    }
    return replay;
  }

  #keep(name: string, replay: Replay): void {
    this.#take(name);
    this.#replays.set(name, replay);
    this.#characters += replay.characters;
    for (const oldest of this.#replays.keys()) {
      if (this.#replays.size <= KEPT && this.#characters <= KEPT_CHARACTERS) return;
      this.#take(oldest);
    }
  }

  #take(name: string): Replay | undefined {
    const replay = this.#replays.get(name);
    if (replay === undefined) return undefined;
    this.#replays.delete(name);
    this.#characters -= replay.characters;
    return replay;
  }
}

/** Whether the config was told nothing before: of what a claim tells, that is so of its first delivery alone. */
function isFirst(claim: Claim, generation: number): boolean {
  return claim.isFirst && claim.deliveries[0]?.generation === generation;
}

function withEntries(start: Replay | undefined, entries: readonly LogEntry[]): Replay | undefined {
  let replay = start;
  for (const { generation, text } of entries) {
    const event = eventOf(text);
    if (replay === undefined) {
      if (!("task" in event)) return undefined;
      replay = { live: liveTaskOf(event.task), generation, characters: text.length };
    } else {
      applyEvent(replay.live, event);
      replay.generation = generation;
      replay.characters += text.length;
    }
  }
  return replay;
}
