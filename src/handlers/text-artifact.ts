/** A text that comes in pieces, as one artifact. */
import type { HandlerEvent, Turn } from "../core/ports.ts";

/** The first piece opens the artifact, the others are appended, and an empty one marks the end. */
export class TextArtifact {
  readonly #artifactId: string;
  #opened = false;

  constructor(turn: Turn) {
    this.#artifactId = newArtifactId(turn);
  }

  piece(text: string): HandlerEvent {
    const append = this.#opened;
    this.#opened = true;
    const artifact = { artifactId: this.#artifactId, parts: [{ text }] };
    return { kind: "artifact", artifact, ...(append && { append }) };
  }

  /** Nothing when there was no piece. */
  *end(): Generator<HandlerEvent, void, undefined> {
    if (!this.#opened) return;
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
