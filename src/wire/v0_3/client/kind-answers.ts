/** What agents of 0.3 answer on JSON-RPC, and some of them on HTTP+JSON. */
import { invalidParams } from "../../../protocol/errors.ts";
import type { SendMessageResponse, Task } from "../../../protocol/model.ts";
import { modelOf } from "../../../protocol/ready-made.ts";
import { received } from "../../client-answer.ts";
import type { Decoders } from "../../client-codecs.ts";
import type { ClientEvent } from "../../client.ts";
import { isObject } from "../../schema/objects.ts";
import { decodeKindResult } from "../kind/decode-results.ts";

/** @param where what the answer is called in an error */
export function kindDecoders(where: string): Decoders<unknown> {
  const task = (json: unknown) => received(where, () => taskIn(json));
  const event = (json: unknown) => received(where, () => eventIn(json));
  return {
    sendMessage: (json) => received(where, () => sendIn(json)),
    sendStreamingMessage: event,
    getTask: task,
    cancelTask: task,
    subscribeToTask: event,
  };
}

function sendIn(json: unknown): SendMessageResponse {
  const response = decodeKindResult(json);
  if ("task" in response || "message" in response) return response;
  throw unexpected("must be a task or a message");
}

function taskIn(json: unknown): Task {
  const response = decodeKindResult(json);
  if ("task" in response) return modelOf(response.task);
  throw unexpected("must be a task");
}

function eventIn(json: unknown): ClientEvent {
  const response = decodeKindResult(json);
  const isLast = "statusUpdate" in response && isObject(json) && json["final"] === true;
  return { response, isLast };
}

function unexpected(description: string): Error {
  return invalidParams([{ field: "", description }]);
}
