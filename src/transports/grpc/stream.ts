/** A stream of events as the messages of a server-streaming call. */
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { EncodedItem } from "../../wire/endpoint.ts";
import { settle } from "./call.ts";

type StreamCall = ServerWritableStream<Buffer, Uint8Array>;

/**
 * Sends a stream to its end. No event is taken from the iterator while the call is full; when the call is cancelled,
 * the iterator is told to return. Rejects with what the iterator throws: that is the trailing status.
 */
export async function sendMessages(
  call: StreamCall,
  items: AsyncIterable<EncodedItem>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  call.on("cancelled", () => leave(iterator));
  try {
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
      // Whoever left before there was a stream has not been seen leaving it.
      if (call.cancelled) return leave(iterator);
      if (!call.write(step.value.wire as Uint8Array)) await drained(call);
    }
  } catch (thrown) {
    // An item that cannot be encoded ends the stream here, but not where it comes from.
    leave(iterator);
    throw thrown;
  }
  if (call.cancelled) return;
  settle(call);
  call.end();
}

function leave(iterator: AsyncIterator<EncodedItem>): void {
  void Promise.resolve(iterator.return?.()).catch(() => undefined);
}

/** A cancelled call never drains. */
function drained(call: StreamCall): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off("drain", done).off("cancelled", done).off("close", done);
      resolve();
    };
    call.on("drain", done).on("cancelled", done).on("close", done);
  });
}
