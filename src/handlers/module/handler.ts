/**
 * Calls a module's function for each turn; see config.ts. The function gets the Turn of core/ports/handler.ts and answers with
 * an async (or plain) iterable of
 *
 * - texts: pieces of one artifact, which grows as they come;
 * - HandlerEvents, such as `{ kind: "status", state: "TASK_STATE_WORKING" }`; states may be short (`working`);
 * - the events that programs write, such as `{ status: "working" }` or `{ error: { name: "invalid_params", … } }`
 *   (events.ts).
 *
 * When it ends, the task is completed, unless it waits for the caller. When it throws, the task is failed. It should end
 * soon when `turn.signal` is aborted. The exports `cancel(turn, metadata)` and `close()` are optional.
 */
import type { Handler, HandlerEvent, Turn } from "../../core/ports/handler.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { wrong } from "../fields.ts";
import { TextArtifact } from "../text-artifact.ts";
import type { ModuleConfig } from "./config.ts";
import { loadModule } from "./load.ts";
import { eventsOfYielded } from "./yielded.ts";

/** Throws an Error when the module cannot be loaded or lacks the export. */
export async function createModuleHandler(
  config: ModuleConfig,
  deps: { readonly baseDir: string },
): Promise<Handler> {
  const { handle, cancel, close } = await loadModule(config, deps.baseDir);
  return {
    handle: (turn) => eventsFrom(handle(turn), turn),
    ...(cancel && {
      async cancel(turn: Turn, metadata: JsonObject | undefined) {
        await cancel(turn, metadata);
      },
    }),
    ...(close && {
      async close() {
        await close();
      },
    }),
  };
}

async function* eventsFrom(answer: unknown, turn: Turn): AsyncGenerator<HandlerEvent> {
  if (!isIterable(answer)) throw wrong("", "the module's function returned no iterable");
  const text = new TextArtifact(turn);
  let number = 0;
  for await (const yielded of answer) {
    number++;
    if (typeof yielded === "string") yield text.piece(yielded);
    else yield* eventsOfYielded(yielded, `event ${number}: `);
  }
  yield* text.end();
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
