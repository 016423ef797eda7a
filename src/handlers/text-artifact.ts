/** A text that comes in pieces, as one artifact. */
import type { HandlerEvent, Turn } from "../core/ports/handler.ts";

/** The first piece opens the artifact, the others are appended, and an empty one marks the end where none was the last. */
export class TextArtifact {
  readonly #artifactId: string;
  #opened = false;
  #ended = false;

  constructor(turn: Turn) {
    this.#artifactId = newArtifactId(turn);
  }

  piece(text: string, isLast = false): HandlerEvent {
    const append = this.#opened;
    this.#opened = true;
    this.#ended = isLast;
    const artifact = { artifactId: this.#artifactId, parts: [{ text }] };
    return {
      kind: "artifact",
      artifact,
      ...(append && { append }),
      ...((isLast || !append) && { lastChunk: isLast }),
    };
  }

  /** Nothing when there was no piece. */
  *end(): Generator<HandlerEvent, void, undefined> {
    if (!this.#opened || this.#ended) return;
    const artifact = { artifactId: this.#artifactId, parts: [{ text: "" }] };
    yield { kind: "artifact", artifact, append: true, lastChunk: true };
  }
}

/** An id that no artifact of the task has (`output-1`, …); `ordinal` tells apart several of one turn. */
export function newArtifactId(turn: Turn, ordinal = 0): string {
  const known = turn.task?.artifacts ?? [];
  const taken = new Set(known.map((artifact) => artifact.artifactId));
  let number = 1;
  for (let free = 0; ; number++) {
    if (!taken.has(`output-${number}`) && free++ === ordinal) return `output-${number}`;
  }
}
