/** The JSON-RPC 2.0 request object (spec 9). */
import { A2AError } from "../../protocol/errors.ts";
import { isObject } from "../../wire/schema/objects.ts";
import { idTextOf } from "./id.ts";

export interface Envelope {
  readonly method: string;
  readonly params: unknown;
}

/** The JSON text of a request's id, "null" when it has none that an answer could repeat. */
export function idOf(body: unknown, text: string): string {
  if (!isObject(body)) return "null";
  const { id } = body;
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return "null";
  return isExact(id) || text.length > SCAN_LIMIT ? JSON.stringify(id) : idTextOf(text);
}

/** Looking for the id takes longer than parsing; past this length an id beyond 2^53 is answered rounded. */
const SCAN_LIMIT = 65_536;

function isExact(id: number): boolean {
  return Number.isSafeInteger(id) || Math.abs(id) < Number.MAX_SAFE_INTEGER;
}

/** Throws INVALID_REQUEST for everything that is not a single request object. */
export function envelopeOf(body: unknown): Envelope {
  if (Array.isArray(body) && body.length > 0) throw invalid("batch requests are not supported");
  if (!isObject(body)) throw invalid("the request is not an object");
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== "2.0") throw invalid('jsonrpc is not "2.0"');
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number")
    throw invalid("id is neither a string nor a number");
  if (typeof method !== "string" || method === "")
    throw invalid("method is not a non-empty string");
  return { method, params: params ?? {} };
}

function invalid(message: string): A2AError {
  return new A2AError("INVALID_REQUEST", message);
}
