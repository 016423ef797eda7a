/** Reading a request's JSON body. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { A2AError } from "../../protocol/errors.ts";

const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/a2a+json"]);

/** The parsed body; undefined when there is none, for which `null` stands too. Throws UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, PARSE_ERROR or CANCELLED. */
export async function jsonBodyOf(req: IncomingMessage, limit: number): Promise<unknown> {
  const text = await bodyTextOf(req, limit);
  return text === "" ? undefined : (jsonOf(text) ?? undefined);
}

/** The body's text, "" when there is none. Throws as jsonBodyOf does, PARSE_ERROR only for invalid UTF-8. */
export async function bodyTextOf(req: IncomingMessage, limit: number): Promise<string> {
  if (!hasBody(req)) return "";
  checkContent(req);
  const body = await bytesOf(req, limit);
  if (!isUtf8(body)) throw new A2AError("PARSE_ERROR", "the body is not valid UTF-8");
  return body.toString("utf8");
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new A2AError("PARSE_ERROR", "the body is not valid JSON");
  }
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers["content-length"];
  return length === undefined ? req.headers["transfer-encoding"] !== undefined : length !== "0";
}

function checkContent(req: IncomingMessage): void {
  const type = req.headers["content-type"];
  if (type !== undefined && type !== "application/json") {
    const essence = (type.split(";", 1)[0] ?? "").trim().toLowerCase();
    if (!JSON_TYPES.has(essence))
      throw new A2AError(
        "UNSUPPORTED_MEDIA_TYPE",
        `content type ${JSON.stringify(essence)} is not supported`,
      );
  }
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
    throw new A2AError(
      "UNSUPPORTED_MEDIA_TYPE",
      `content encoding ${JSON.stringify(encoding)} is not supported`,
    );
}

function bytesOf(req: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(req.headers["content-length"]) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    req.on("data", take).on("end", end).on("close", cut);
    // An 'error' without a listener would end the process; 'close' follows it.
    req.on("error", ignore);

    function take(chunk: Buffer): void {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      stop();
      reject(tooLarge(limit));
    }
    function end(): void {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
      stop();
    }
    function cut(): void {
      stop();
      reject(new A2AError("CANCELLED", "the caller went away"));
    }
    /** The request lives as long as its answer, which may be a stream: nothing of the body stays with it. */
    function stop(): void {
      chunks = [];
      req.off("data", take).off("end", end).off("close", cut);
    }
  });
}

function ignore(): void {}

function tooLarge(limit: number): A2AError {
  return new A2AError("TOO_LARGE", `the body is larger than ${limit} bytes`);
}
