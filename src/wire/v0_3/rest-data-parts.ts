/**
 * Some clients send data that is no object, as JSON-RPC takes it too. The protobuf cannot hold it: it is wrapped the way
 * that our own answers wrap it.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../schema/objects.ts";
import { wrapped } from "./data-parts.ts";

/** A message in ProtoJSON, itself when there is nothing to wrap. */
export function withWrappedData(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message["content"])) return message;
  const content: readonly unknown[] = message["content"];
  return content.some(isLoose) ? { ...message, content: content.map(withObject) } : message;
}

interface LoosePart {
  readonly data: { readonly data: JsonValue };
  readonly metadata?: JsonObject | null;
}

function isLoose(part: unknown): part is LoosePart {
  if (!isObject(part) || !isObject(part["data"])) return false;
  const value = part["data"]["data"] ?? {};
  return !isObject(value) && isObject(part["metadata"] ?? {});
}

function withObject(part: unknown): unknown {
  if (!isLoose(part)) return part;
  const { data, metadata } = wrapped(part.data.data, part.metadata ?? {});
  return { ...part, data: { data }, metadata };
}
