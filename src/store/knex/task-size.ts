/** How large a task may grow: what is written must be read again in one piece, snapshot and the entries since. */
import { A2AError } from "../../protocol/errors.ts";
import { isTerminal } from "../../protocol/states.ts";
import type { EncodedChange } from "./rows.ts";

/** The most bytes of a snapshot, and of what a commit adds to the log, of a task that goes on. */
export const TASK_BYTES = 128 * 1024 * 1024;

/**
 * Throws TOO_LARGE. A task may end with three times as much as it goes on with: there must be a way to end one that has
 * a snapshot, as much in its log, and one more commit.
 */
export function checkSize(encoded: EncodedChange, taskBytes: number): void {
  const { change, snapshot, statusMessage, entries } = encoded;
  const { history = "", artifacts = "", metadata } = snapshot ?? {};
  const most = isTerminal(change.status.state) ? 3 * taskBytes : taskBytes;
  const isFitting =
    fits([history, artifacts, metadata ?? "", statusMessage ?? ""], most) &&
    fits([entries], taskBytes);
  if (!isFitting) throw tooLarge(change.id);
}

/** The most bytes of a task that can be read: of the largest, and of what JSON adds. V8 has no string of 512 MiB. */
export function readableBytes(taskBytes: number): number {
  return 3.75 * taskBytes;
}

export function tooLarge(id: string, cause?: unknown): A2AError {
  return new A2AError("TOO_LARGE", `task ${id} is too large to be kept`, { cause });
}

/** Bytes are counted only where the characters leave it open: there are from one to three to a character. */
function fits(texts: readonly string[], maxBytes: number): boolean {
  let characters = 0;
  for (const text of texts) characters += text.length;
  if (characters * 3 <= maxBytes) return true;
  if (characters > maxBytes) return false;
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes <= maxBytes;
}
