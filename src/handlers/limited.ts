import { A2AError } from "../protocol/errors.ts";

/** The same chunks; throws INVALID_AGENT_RESPONSE when there are more bytes than allowed. */
export async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > maxBytes)
      throw new A2AError(
        "INVALID_AGENT_RESPONSE",
        `the agent's answer is longer than ${maxBytes} bytes`,
      );
    yield chunk;
  }
}
