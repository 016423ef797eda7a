/**
 * Writes one artifact in chunks. The message says how: `chunks COUNT [PAUSE] [DELAY]`, with a turn of the event loop after
 * every PAUSE chunks (0: never) and DELAY milliseconds before the first.
 */
import { setImmediate as turnOfTheLoop, setTimeout as sleep } from "node:timers/promises";

const CHUNK = "a chunk of about sixty-four characters, as a model would say ...";

export async function* handle(turn) {
  const words = turn.message.parts[0]?.text?.split(" ") ?? [];
  const [count = 0, pause = 0, delay = 0] = words.slice(1).map(Number);
  yield { kind: "status", state: "TASK_STATE_WORKING" };
  if (delay > 0) await sleep(delay);
  for (let number = 0; number < count && !turn.signal.aborted; number++) {
    if (pause > 0 && number % pause === 0) await turnOfTheLoop();
    const artifact = { artifactId: "chunks", parts: [{ text: CHUNK }] };
    yield { kind: "artifact", artifact, append: number > 0, lastChunk: number === count - 1 };
  }
  yield { kind: "status", state: "TASK_STATE_COMPLETED" };
}
