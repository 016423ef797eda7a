/** Reading a request's JSON body, and what no body may hold. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { A2AError } from "../../protocol/errors.ts";
import { invalid } from "./failure.ts";

const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 64;

/**
 * The parsed body; undefined when there is none. Throws UNSUPPORTED_MEDIA_TYPE for what is not declared as JSON,
 * TOO_LARGE above 1 MiB, PARSE_ERROR, INVALID_PARAMS for the key `__proto__` and for more than 64 levels, and
 * INVALID_REQUEST when it ends early.
 */
export async function jsonBodyOf(request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  checkContent(request);
  const bytes = await bytesOf(request);
  if (!isUtf8(bytes)) throw new A2AError("PARSE_ERROR", "the body is not valid UTF-8");
  const body = parsed(bytes.toString("utf8"));
  checkKeys(body);
  return body;
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] !== undefined : length !== "0";
}

/** A page of another site can send a body to us only as what is not JSON, as long as we do not allow it more. */
function checkContent({ headers }: IncomingMessage): void {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new A2AError("UNSUPPORTED_MEDIA_TYPE", "the body is not declared as application/json");
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new A2AError(
      "UNSUPPORTED_MEDIA_TYPE",
      `content encoding ${JSON.stringify(encoding)} is not supported`,
    );
}

/** What comes after the limit is still taken from the connection, so that the caller gets its answer, but not kept. */
function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    // An 'error' without a listener would end the process; 'close' follows it.
    request.on("error", () => undefined);
    request.on("data", take).on("end", end).on("close", cut);
    if (Number(request.headers["content-length"]) > MAX_BODY_BYTES) refuse();

    function take(chunk: Buffer): void {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else refuse();
    }
    function end(): void {
      resolve(Buffer.concat(chunks));
    }
    function cut(): void {
      reject(new A2AError("INVALID_REQUEST", "the body ended early"));
    }
    function refuse(): void {
      chunks = [];
      reject(new A2AError("TOO_LARGE", `the body is larger than ${MAX_BODY_BYTES} bytes`));
    }
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new A2AError("PARSE_ERROR", "the body is not valid JSON");
  }
}

/** Where objects are merged, `__proto__` would reach what every object has; deep texts would outgrow the stack. */
function checkKeys(body: unknown): void {
  const waiting: Place[] = [{ value: body, path: "", depth: 0 }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { value, path, depth } = place;
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH)
      throw invalid([{ path: "body", what: `has more than ${MAX_DEPTH} levels` }]);
    for (const [key, inner] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (key === "__proto__") throw invalid([{ path: at, what: "is not allowed" }]);
      waiting.push({ value: inner, path: at, depth: depth + 1 });
    }
  }
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}
