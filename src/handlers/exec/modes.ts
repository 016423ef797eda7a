/** How a turn becomes a program's input, and its output events. */
import { setTimeout as pause } from "node:timers/promises";
import type { HandlerEvent, Turn } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import { eventsOfLines } from "../lines.ts";
import { messageText } from "../message-text.ts";
import { newArtifactId, TextArtifact } from "../text-artifact.ts";
import { turnJson } from "../turn-json.ts";
import { withLast, type Hold } from "../with-last.ts";
import type { ExecConfig } from "./config.ts";

export interface Mode {
  /** Throws an A2AError for a message that the program cannot be given. */
  inputOf(turn: Turn): string;
  /** What is told before the program's output. */
  readonly opening: readonly HandlerEvent[];
  /** `succeeded` resolves at the program's end. */
  eventsOf(
    output: AsyncIterable<Uint8Array>,
    turn: Turn,
    succeeded: () => Promise<boolean>,
  ): AsyncIterable<HandlerEvent>;
}

const DEFAULT_MAX_LINE = 4 * 1024 * 1024;
/** A program that has said its last word mostly ends within that time: then no empty piece has to mark the end. */
const hold: Hold = (signal) => pause(50, undefined, { signal });

const WORKING: HandlerEvent = { kind: "status", state: "TASK_STATE_WORKING" };

export function modeOf({ mode, stream, maxLine = DEFAULT_MAX_LINE }: ExecConfig): Mode {
  if (mode === "events") {
    return {
      inputOf: (turn) => `${turnJson(turn)}\n`,
      opening: [],
      eventsOf: (output) => eventsOfLines(output, maxLine),
    };
  }
  return { inputOf: textOnly, opening: [WORKING], eventsOf: stream ? pieces : whole };
}

function textOnly(turn: Turn): string {
  const other = turn.message.parts.findIndex((part) => part.text === undefined);
  if (other < 0) return messageText(turn);
  throw new A2AError(
    "CONTENT_TYPE_NOT_SUPPORTED",
    `message.parts[${other}]: this agent takes text only`,
  );
}

async function* pieces(
  output: AsyncIterable<Uint8Array>,
  turn: Turn,
): AsyncGenerator<HandlerEvent> {
  const artifact = new TextArtifact(turn);
  for await (const { item, isLast } of withLast(decoded(output), hold))
    yield artifact.piece(item, isLast);
  yield* artifact.end();
}

async function* whole(
  output: AsyncIterable<Uint8Array>,
  turn: Turn,
  succeeded: () => Promise<boolean>,
): AsyncGenerator<HandlerEvent> {
  let all = "";
  for await (const text of decoded(output)) all += text;
  if (all === "" || !(await succeeded())) return;
  yield {
    kind: "artifact",
    artifact: { artifactId: newArtifactId(turn), parts: [{ text: all }] },
    lastChunk: true,
  };
}

/** The text of bytes that are cut anywhere; what is not UTF-8 becomes U+FFFD. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}
