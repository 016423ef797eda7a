/** What agents of 0.3 answer in the messages of the protobuf: on gRPC, and in ProtoJSON on HTTP+JSON. */
import type { SendMessageResponse, Task } from "../../../protocol/model.ts";
import { received, withReadableTime } from "../../client-answer.ts";
import type { Decoders } from "../../client-codecs.ts";
import { checkEvent, checkTask, SEND, STREAM, wrappedEvent } from "../../client-events.ts";
import { checkParts } from "../../client-parts.ts";
import type { ClientEvent } from "../../client.ts";
import { isObject } from "../../schema/objects.ts";
import { messages } from "../messages.ts";
import { eventOf, sendOf } from "../proto-events.ts";
import type { ProtoSendResponse, ProtoStreamResponse, ProtoTask } from "../proto-model.ts";
import { taskOf } from "../proto-task.ts";
import { kindDecoders } from "./kind-answers.ts";

const BODY = "body";

const bodies: Decoders<unknown> = {
  sendMessage: (json) =>
    received(BODY, () =>
      usableSend(messages.SendMessageResponse.decode(wrappedEvent(json), "lenient")),
    ),
  sendStreamingMessage: jsonEvent,
  getTask: jsonTask,
  cancelTask: jsonTask,
  subscribeToTask: jsonEvent,
};

const kinds = kindDecoders(BODY);

/** Some agents answer in the form of JSON-RPC here too: `kind` gives it away. */
export const restDecoders: Decoders<unknown> = {
  sendMessage: (json) => inItsForm(json).sendMessage(inner(json)),
  sendStreamingMessage: (json) => inItsForm(json).sendStreamingMessage(inner(json)),
  getTask: (json) => inItsForm(json).getTask(inner(json)),
  cancelTask: (json) => inItsForm(json).cancelTask(inner(json)),
  subscribeToTask: (json) => inItsForm(json).subscribeToTask(inner(json)),
};

export const protoDecoders: Decoders<Uint8Array> = {
  sendMessage: (bytes) =>
    received(MESSAGE, () => usableSend(messages.SendMessageResponse.fromProto(bytes, "lenient"))),
  sendStreamingMessage: protoEvent,
  getTask: protoTask,
  cancelTask: protoTask,
  subscribeToTask: protoEvent,
};

const MESSAGE = "message";
const CONTENTS = ["text", "file", "data"];

function inItsForm(json: unknown): Decoders<unknown> {
  const object = inner(json);
  return isObject(object) && typeof object["kind"] === "string" ? kinds : bodies;
}

/** An object with a kind that stands in a member, as the protobuf would have it, is taken out; all else stays. */
function inner(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { task, message } = json;
  return [task, message].find((value) => isObject(value) && "kind" in value) ?? json;
}

function jsonTask(json: unknown): Task {
  return received(BODY, () => usableTask(messages.Task.decode(withReadableTime(json), "lenient")));
}

function jsonEvent(json: unknown): ClientEvent {
  return received(BODY, () =>
    usableEvent(messages.StreamResponse.decode(wrappedEvent(json), "lenient")),
  );
}

function protoTask(bytes: Uint8Array): Task {
  return received(MESSAGE, () => usableTask(messages.Task.fromProto(bytes, "lenient")));
}

function protoEvent(bytes: Uint8Array): ClientEvent {
  return received(MESSAGE, () => usableEvent(messages.StreamResponse.fromProto(bytes, "lenient")));
}

function usableSend(response: ProtoSendResponse): SendMessageResponse {
  checkEvent(response, SEND);
  checkParts(response, CONTENTS);
  return sendOf(response);
}

function usableEvent(response: ProtoStreamResponse): ClientEvent {
  checkEvent(response, STREAM);
  checkParts(response, CONTENTS);
  const isLast = "statusUpdate" in response && response.statusUpdate.final === true;
  return { response: eventOf(response), isLast };
}

function usableTask(task: ProtoTask): Task {
  checkTask(task);
  checkParts(task, CONTENTS);
  return taskOf(task);
}
