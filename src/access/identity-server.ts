/** Questions to whoever issues tokens. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { JsonObject, JsonValue } from "../protocol/json.ts";
import { isJsonObject } from "./json.ts";

/** Milliseconds from the request to the last byte of the answer. */
const PATIENCE = 5_000;

/** More than any key set or answer about a token has. */
const MAX_BYTES = 256 * 1024;

/** An answer with another status than 200. */
export class RefusedQuestion extends Error {
  readonly status: number;

  constructor(host: string, status: number) {
    super(`${host} answers ${status}`);
    this.status = status;
  }
}

export interface Question {
  readonly url: URL;
  /** What is posted; without it the question is a GET. */
  readonly form?: { readonly authorization: string; readonly body: string };
}

/**
 * The JSON object that the server answers with. Follows no redirect. Throws a RefusedQuestion for any status but 200, an Error for an
 * answer that is none, is too long or comes too late, and the error of a connection that fails.
 */
export async function answerTo({ url, form }: Question): Promise<JsonObject> {
  const signal = AbortSignal.timeout(PATIENCE);
  const response = await responseTo({ url, ...(form !== undefined && { form }) }, signal);
  try {
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw new RefusedQuestion(url.host, statusCode);
    return jsonOf(await textOf(response), url);
  } finally {
    response.destroy();
  }
}

function responseTo({ url, form }: Question, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    ...(form !== undefined && {
      authorization: form.authorization,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(Buffer.byteLength(form.body)),
    }),
  };
  return new Promise((resolve, reject) => {
    const method = form === undefined ? "GET" : "POST";
    const outgoing = request(url, { method, headers, signal, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      // A body that is dropped half-read reports that as an error, to nobody.
      response.on("error", () => {});
      resolve(response);
    });
    outgoing.end(form?.body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new Error(`an answer encoded as ${JSON.stringify(encoding)}`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`an answer of more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string, { host }: URL): JsonObject {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new Error(`${host} answers with something that is not JSON`, { cause });
  }
  if (!isJsonObject(json)) throw new Error(`${host} answers with JSON that is no object`);
  return json;
}
