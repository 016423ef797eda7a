/** What the readers of both versions have in common: an answer that cannot be read says where it is wrong. */
import { A2AError, type FieldViolation } from "../protocol/errors.ts";
import { isObject } from "./schema/objects.ts";
import { timeOf } from "./schema/time-text.ts";

/**
 * What `decode` makes of an answer. What is wrong with it, which decoders call INVALID_PARAMS, is INVALID_AGENT_RESPONSE
 * to the gateway's own caller; `where` names the answer: `result.status: is required`.
 */
export function received<T>(where: string, decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (!A2AError.is(thrown) || thrown.reason !== "INVALID_PARAMS") throw thrown;
    const { message, violations } = thrown;
    throw invalidResponse(placed(where, violations[0]) ?? within(where, message));
  }
}

/** @param message where in the answer, and what is wrong there */
function invalidResponse(message: string): A2AError {
  return new A2AError("INVALID_AGENT_RESPONSE", `the agent's answer cannot be read: ${message}`);
}

function placed(where: string, violation: FieldViolation | undefined): string | undefined {
  if (violation === undefined) return undefined;
  const { field, description } = violation;
  if (field === "") return `${where} ${description}`;
  return `${where}${field.startsWith("[") ? "" : "."}${field}: ${description}`;
}

/** A message may name the answer already. */
function within(where: string, message: string): string {
  return message.startsWith(`${where} `) ? message : `${where}: ${message}`;
}

/** A time as agents write it, in UTC with milliseconds; without a zone it is UTC. Undefined for what is no time. */
export function receivedTime(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim().replace(/^(\d{4}-\d\d-\d\d) /, "$1T");
  return timeOf(text) ?? timeOf(`${text}Z`);
}

/**
 * A task or a status update in ProtoJSON whose time can be decoded: one in another notation is written anew, and one
 * that is none is left out, since a status is worth having without it.
 */
export function withReadableTime(json: unknown): unknown {
  if (!isObject(json) || !isObject(json["status"])) return json;
  const { timestamp } = json["status"];
  if (timestamp === undefined || (typeof timestamp === "string" && timeOf(timestamp) !== undefined))
    return json;
  const status = Object.assign({}, json["status"], { timestamp: receivedTime(timestamp) });
  return Object.assign({}, json, { status });
}
