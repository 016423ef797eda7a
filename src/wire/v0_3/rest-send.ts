/**
 * The body of message:send and message:stream. It should be ProtoJSON of the 0.3 protobuf; clients in the field send the
 * parameters of JSON-RPC too, and those of 1.0 get told.
 */
import { A2AError } from "../../protocol/errors.ts";
import type { SendMessageRequest } from "../../protocol/model.ts";
import { isObject } from "../schema/objects.ts";
import { decodeKindSend } from "./kind/codecs.ts";
import { messages } from "./messages.ts";
import type { ProtoSendRequest } from "./proto-model.ts";
import { sendRequestOf } from "./proto-requests.ts";
import { withWrappedData } from "./rest-data-parts.ts";

/** A request waits unless it says `blocking: false`. Throws INVALID_PARAMS with the path of each field that is wrong. */
export function sendRequestIn(body: unknown): SendMessageRequest {
  const given = body ?? {};
  if (!isObject(given)) throw new A2AError("INVALID_PARAMS", "the body is not a JSON object");
  const message = given["message"] ?? given["request"];
  switch (formOf(message)) {
    case "kind":
      return decodeKindSend(given["message"] === message ? given : { ...given, message });
    case "1.0":
      throw new A2AError(
        "INVALID_PARAMS",
        "the body is in the form of A2A 1.0 (message.parts), but the path is one of A2A 0.3 (message.content)",
      );
    case "proto":
      return protoRequestIn(message, given);
  }
}

/** `content` is a name of the protobuf alone; `parts` may be of JSON-RPC or of 1.0, which has no kinds. */
function formOf(message: unknown): "proto" | "kind" | "1.0" {
  if (!isObject(message) || isSaid(message["content"])) return "proto";
  const { kind, role, parts } = message;
  const isKind =
    isSaid(kind) ||
    role === "user" ||
    role === "agent" ||
    (Array.isArray(parts) && parts.some((part) => isObject(part) && isSaid(part["kind"])));
  if (isKind) return "kind";
  return isSaid(parts) ? "1.0" : "proto";
}

function protoRequestIn(message: unknown, body: Record<string, unknown>): SendMessageRequest {
  const { configuration, metadata } = body;
  const wire = { message: withWrappedData(message), configuration, metadata };
  const request = withZero(messages.SendMessageRequest.decode(wire), configuration);
  return sendRequestOf(request, !isObject(configuration) || configuration["blocking"] !== false);
}

/** `historyLength: 0` asks for none; in the decoded message it is the same as absent. */
function withZero(request: ProtoSendRequest, said: unknown): ProtoSendRequest {
  const { configuration } = request;
  if (!isObject(said) || configuration?.historyLength !== undefined) return request;
  if (!isSaid(said["historyLength"] ?? said["history_length"])) return request;
  return { ...request, configuration: { ...configuration, historyLength: 0 } };
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}
