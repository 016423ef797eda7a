/**
 * The artifacts of a task as its agent tells them: what of each is new here. On a stream that was taken up again nobody
 * says where in an artifact it goes on: chunks count only after the agent has said how much of the artifact there is.
 */
import type { HandlerEvent } from "../../core/ports/handler.ts";
import type { Artifact, Part, TaskArtifactUpdateEvent } from "../../protocol/model.ts";
import { differenceOf } from "./parts-difference.ts";

type ArtifactUpdate = Omit<TaskArtifactUpdateEvent, "taskId" | "contextId">;

/** An artifact as it is here. */
interface Known {
  parts: Part[];
  /** Whether the stream that is read has not said how much of it there is. */
  isUncertain: boolean;
  /** Whether the next chunk may be one that the snapshot before it has told. */
  mayRepeat: boolean;
  /** There while the agent repeats what is here already: what it has told so far, and what it has not yet. */
  behind: Behind | undefined;
}

interface Behind {
  readonly told: Omit<Artifact, "parts"> & { readonly parts: Part[] };
  readonly owed: readonly Part[];
}

export class ArtifactRelay {
  readonly #known = new Map<string, Known>();
  /** Whether streams of the task were cut: events may come again. */
  #isTakenUp = false;
  /** Whether the stream that is read has told what was there when it began, as the first one does. */
  #isAccountedFor = true;
  #isMissing = false;
  #unnamed = 0;

  constructor(artifacts: readonly Artifact[]) {
    for (const { artifactId, parts } of artifacts) {
      this.#keep(artifactId, [...parts], false);
      this.#unnamed = Math.max(this.#unnamed, numberOf(artifactId));
    }
  }

  /** A further stream of the task begins, after one that was not read to its end. */
  takeUp(): void {
    this.#isTakenUp = true;
    this.#isAccountedFor = false;
    for (const known of this.#known.values()) {
      known.isUncertain = true;
      known.behind = undefined;
    }
  }

  /**
   * Whether the agent may have more than is here, or something else: it may lose something itself between what was there
   * when a stream was taken up and what comes then.
   */
  get isIncomplete(): boolean {
    if (this.#isMissing || this.#isTakenUp) return true;
    return [...this.#known.values()].some(({ behind }) => behind !== undefined);
  }

  /** Whether chunks came of which nobody knows whether they are here. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  /** What is new in an event of a stream is added to `news`. */
  ofUpdate(update: ArtifactUpdate, news: HandlerEvent[]): void {
    const artifact = this.#named(update);
    const known = this.#known.get(artifact.artifactId);
    if (known === undefined && update.append && !this.#isAccountedFor) this.#isMissing = true;
    else if (known !== undefined && update.append) this.#ofChunk(known, artifact, update, news);
    else if (known !== undefined && this.#isTakenUp) this.#ofAccount(known, artifact, update, news);
    else {
      this.#keep(artifact.artifactId, [...artifact.parts], false);
      news.push(eventOf(artifact, update, false));
    }
  }

  /** @param isOfStream whether the chunks after the snapshot are those that the stream goes on with */
  ofSnapshot(artifacts: readonly Artifact[], isOfStream: boolean, news: HandlerEvent[]): void {
    if (isOfStream) this.#isAccountedFor = true;
    let unnamed = 0;
    for (const each of artifacts) {
      const isNamed = each.artifactId !== "";
      const artifact = isNamed ? each : { ...each, artifactId: nameOf(++unnamed) };
      const known = this.#known.get(artifact.artifactId);
      if (known !== undefined) this.#ofAccount(known, artifact, {}, news);
      else {
        this.#keep(artifact.artifactId, [...artifact.parts], true);
        news.push(eventOf(artifact, {}, false));
      }
    }
    this.#unnamed = Math.max(this.#unnamed, unnamed);
    this.#isMissing = false;
    for (const known of this.#known.values()) {
      known.isUncertain = !isOfStream;
      known.mayRepeat = isOfStream && this.#isTakenUp;
    }
  }

  /** The agent's snapshot is its last: what it has told so far holds. */
  end(news: HandlerEvent[]): void {
    for (const known of this.#known.values())
      if (known.behind) this.#replaced(known, known.behind.told, {}, news);
  }

  #ofChunk(known: Known, artifact: Artifact, update: ArtifactUpdate, news: HandlerEvent[]): void {
    // Agents begin to listen before they take the snapshot: what comes in between is in both.
    if (known.mayRepeat && endsWith(known.parts, artifact.parts)) known.isUncertain = true;
    known.mayRepeat = false;
    if (known.isUncertain) {
      this.#isMissing = true;
      return;
    }
    if (known.behind !== undefined)
      return this.#ofRepeated(known, known.behind, artifact, update, news);
    for (const part of artifact.parts) known.parts.push(part);
    news.push(eventOf(artifact, update, true));
  }

  #ofRepeated(
    known: Known,
    { told, owed }: Behind,
    artifact: Artifact,
    update: ArtifactUpdate,
    news: HandlerEvent[],
  ): void {
    const difference = differenceOf(owed, artifact.parts);
    switch (difference.kind) {
      case "more":
        known.behind = undefined;
        return this.#added(known, artifact, difference.parts, update, news);
      case "less":
        told.parts.push(...artifact.parts);
        known.behind = { told, owed: difference.parts };
        return;
      case "other":
        // Told otherwise than before, or gone on with: a snapshot tells which.
        told.parts.push(...artifact.parts);
        known.isUncertain = true;
        this.#isMissing = true;
    }
  }

  #ofAccount(
    known: Known,
    artifact: Artifact,
    update: Partial<ArtifactUpdate>,
    news: HandlerEvent[],
  ): void {
    known.isUncertain = false;
    known.behind = undefined;
    const difference = differenceOf(known.parts, artifact.parts);
    switch (difference.kind) {
      case "more":
        return this.#added(known, artifact, difference.parts, update, news);
      case "less": {
        const told = { ...artifact, parts: [...artifact.parts] };
        known.behind = { told, owed: difference.parts };
        return;
      }
      case "other":
        return this.#replaced(known, artifact, update, news);
    }
  }

  #added(
    known: Known,
    artifact: Artifact,
    parts: readonly Part[],
    update: Partial<ArtifactUpdate>,
    news: HandlerEvent[],
  ): void {
    if (parts.length === 0) return;
    for (const part of parts) known.parts.push(part);
    news.push(eventOf({ ...artifact, parts }, update, true));
  }

  #replaced(
    known: Known,
    artifact: Artifact,
    update: Partial<ArtifactUpdate>,
    news: HandlerEvent[],
  ): void {
    known.behind = undefined;
    known.parts = [...artifact.parts];
    news.push(eventOf(artifact, update, false));
  }

  #keep(artifactId: string, parts: Part[], isUncertain: boolean): void {
    this.#known.set(artifactId, { parts, isUncertain, mayRepeat: false, behind: undefined });
  }

  /** An artifact without an id is named by its place among those that have none; its chunks belong to the last one. */
  #named({ artifact, append }: ArtifactUpdate): Artifact {
    if (artifact.artifactId !== "") return artifact;
    const last = this.#known.get(nameOf(this.#unnamed));
    const isRepeated =
      this.#isTakenUp && last && differenceOf(last.parts, artifact.parts).kind !== "other";
    if (last === undefined || (!append && !isRepeated)) this.#unnamed += 1;
    return { ...artifact, artifactId: nameOf(this.#unnamed) };
  }
}

function endsWith(parts: readonly Part[], chunk: readonly Part[]): boolean {
  const [last, repeated] = [parts.at(-1), chunk.at(-1)];
  if (last === undefined || repeated === undefined) return false;
  return last.text === undefined || repeated.text === undefined
    ? differenceOf([last], [repeated]).kind !== "other"
    : last.text.endsWith(repeated.text);
}

const UNNAMED = "unnamed-";

function nameOf(place: number): string {
  return `${UNNAMED}${place}`;
}

/** 0: it has a name of its own. */
function numberOf(artifactId: string): number {
  return artifactId.startsWith(UNNAMED) ? Number(artifactId.slice(UNNAMED.length)) || 0 : 0;
}

/** Members are added, not spread: this is made for every chunk. */
function eventOf(
  artifact: Artifact,
  { lastChunk, metadata }: Partial<ArtifactUpdate>,
  append: boolean,
): HandlerEvent {
  const event: Writable<HandlerEvent & { kind: "artifact" }> = { kind: "artifact", artifact };
  if (append) event.append = true;
  if (lastChunk) event.lastChunk = true;
  if (metadata) event.metadata = metadata;
  return event;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
