/**
 * Writes one artifact in numbered chunks, and goes on after the last one that is stored when its turn runs again. The
 * message says how: `story COUNT PAUSE END`, with PAUSE milliseconds before each chunk, and END the state at the end.
 */
import { setTimeout as sleep } from "node:timers/promises";

export async function* handle({ message, task, signal }) {
  const [, count, pause, end] = message.parts[0].text.split(" ");
  const told = task?.artifacts?.[0]?.parts.map(({ text }) => text).join("") ?? "";
  yield { kind: "status", state: "TASK_STATE_WORKING" };
  for (let number = told.split(" ").length; number <= Number(count); number++) {
    await sleep(Number(pause), undefined, { signal });
    const artifact = { artifactId: "story", parts: [{ text: `${number} ` }] };
    yield { kind: "artifact", artifact, append: number > 1, lastChunk: number === Number(count) };
  }
  yield { kind: "status", state: `TASK_STATE_${end}` };
}
