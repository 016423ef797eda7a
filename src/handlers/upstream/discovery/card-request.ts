/** Asks a server for an agent's card. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { utf8Of } from "../../lines.ts";
import { limited } from "../../limited.ts";
import { durationText, startLimit } from "../../time-limit.ts";
import type { TlsMaterial } from "../credentials/tls-material.ts";

/** More than any card has; what is larger is none. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Milliseconds from the request to the last byte. */
const PATIENCE = 15_000;

/** The version that is asked for; a server of an older one ignores it (spec 3.6.1). */
const VERSION = "1.0";

export interface CardRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the card that is known already. */
  readonly etag: string | undefined;
  readonly tls: TlsMaterial;
  readonly signal: AbortSignal;
}

export type CardAnswer =
  | { readonly kind: "card"; readonly json: unknown; readonly etag: string | undefined }
  | { readonly kind: "unchanged" }
  /** There is a server, but no card at that address; `why` continues the sentence "the server …". */
  | { readonly kind: "none"; readonly status: number; readonly why: string };

/** Follows no redirect. Throws the error of a connection that fails, and an Error for a card that cannot be read. */
export async function requestCard(asked: CardRequest): Promise<CardAnswer> {
  const exchange = new AbortController();
  const limit = startLimit(PATIENCE, asked.signal, () => exchange.abort());
  try {
    return await answerOf(await openedBy(asked, exchange.signal));
  } catch (thrown) {
    if (!limit.isPassed()) throw thrown;
    const cause = { cause: thrown };
    throw new Error(`the server did not send the card within ${durationText(PATIENCE)}`, cause);
  } finally {
    limit.lift();
  }
}

function openedBy(
  { url, headers, etag, tls }: CardRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = new URL(url).protocol === "https:" ? httpsRequest : httpRequest;
  const sent = {
    ...headers,
    accept: "application/json",
    "accept-encoding": "identity",
    "a2a-version": VERSION,
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: sent, signal, agent: false, ...tls });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      // A body that is dropped half-read reports that as an error, to nobody.
      response.on("error", () => {});
      resolve(response);
    });
    outgoing.end();
  });
}

async function answerOf(response: IncomingMessage): Promise<CardAnswer> {
  const { statusCode: status = 0 } = response;
  try {
    if (status === 304) return { kind: "unchanged" };
    if (status !== 200) return { kind: "none", status, why: refusalOf(response) };
    const text = utf8Of(await bodyOf(response), "");
    const json = jsonOf(text);
    if (json === undefined) return { kind: "none", status, why: "answers with something else" };
    return { kind: "card", json, etag: response.headers.etag };
  } finally {
    response.destroy();
  }
}

function refusalOf({
  statusCode: status = 0,
  headers: { location = "" },
}: IncomingMessage): string {
  if (status < 300 || status > 399) return `answers ${status}`;
  return `redirects to ${JSON.stringify(location)}, which is not followed`;
}

async function bodyOf(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limited(response, MAX_BYTES)) chunks.push(chunk);
  return decodedOf(Buffer.concat(chunks), response.headers["content-encoding"] ?? "");
}

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/** Some servers compress for everybody. */
function decodedOf(bytes: Uint8Array, encoding: string): Uint8Array {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return bytes;
  const decode = DECODERS.get(name);
  if (decode === undefined) throw new Error(`the card is encoded as ${JSON.stringify(encoding)}`);
  return decode(bytes, { maxOutputLength: MAX_BYTES });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
