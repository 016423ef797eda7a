/** Compressed bodies: nobody asked for them, but there are proxies that compress all the same. */
import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { wrong } from "../../fields.ts";

/** What has come is handed on at once, as events have to be. */
const GZIP = { flush: constants.Z_SYNC_FLUSH } as const;
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH } as const;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => createGunzip(GZIP)],
  ["x-gzip", () => createGunzip(GZIP)],
  ["deflate", () => createInflate(GZIP)],
  ["br", () => createBrotliDecompress(BROTLI)],
]);

/** Throws INVALID_AGENT_RESPONSE, when it is read, for a body in another encoding than it says. */
export function plainOf(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncIterable<Uint8Array> {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  const decoder = DECODERS.get(name);
  if (decoder === undefined) throw wrong("", "in a content encoding that nobody asked for");
  return decompressed(body, decoder());
}

async function* decompressed(
  body: AsyncIterable<Uint8Array>,
  decoder: Transform,
): AsyncGenerator<Uint8Array> {
  // Its errors are those of the decoder, which the loop throws.
  pipeline(body, decoder, () => undefined);
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw isOfZlib(thrown) ? wrong("", "not in its content encoding") : thrown;
  }
}

function isOfZlib(thrown: unknown): boolean {
  if (!(thrown instanceof Error && "code" in thrown)) return false;
  const code = String(thrown.code);
  return code.startsWith("Z_") || code.startsWith("ERR__ERROR_") || code.startsWith("ERR_BROTLI");
}
