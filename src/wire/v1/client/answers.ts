/** What agents of 1.0 answer, read leniently. */
import type { SendMessageResponse, StreamResponse, Task } from "../../../protocol/model.ts";
import { received, withReadableTime } from "../../client-answer.ts";
import type { Decoders } from "../../client-codecs.ts";
import { checkEvent, checkTask, SEND, STREAM, wrappedEvent } from "../../client-events.ts";
import { checkParts } from "../../client-parts.ts";
import type { ClientEvent } from "../../client.ts";
import { messages } from "../messages.ts";
import { plainEvent } from "./plain-events.ts";

/** @param where what the answer is called in an error */
export function jsonDecoders(where: string): Decoders<unknown> {
  const task = (json: unknown) =>
    received(where, () => usableTask(messages.Task.decode(withReadableTime(json), "lenient")));
  const decoded = (json: unknown) =>
    received(where, () =>
      usableEvent(messages.StreamResponse.decode(wrappedEvent(json), "lenient")),
    );
  const event = (json: unknown) => {
    const response = plainEvent(json);
    return response === undefined ? decoded(json) : eventOf(response);
  };
  return {
    sendMessage: (json) =>
      received(where, () =>
        usableSend(messages.SendMessageResponse.decode(wrappedEvent(json), "lenient")),
      ),
    sendStreamingMessage: event,
    getTask: task,
    cancelTask: task,
    subscribeToTask: event,
  };
}

export const protoDecoders: Decoders<Uint8Array> = {
  sendMessage: (bytes) =>
    received(MESSAGE, () => usableSend(messages.SendMessageResponse.fromProto(bytes, "lenient"))),
  sendStreamingMessage: protoEvent,
  getTask: protoTask,
  cancelTask: protoTask,
  subscribeToTask: protoEvent,
};

const MESSAGE = "message";
const CONTENTS = ["text", "raw", "url", "data"];

function protoTask(bytes: Uint8Array): Task {
  return received(MESSAGE, () => usableTask(messages.Task.fromProto(bytes, "lenient")));
}

function protoEvent(bytes: Uint8Array): ClientEvent {
  return received(MESSAGE, () => usableEvent(messages.StreamResponse.fromProto(bytes, "lenient")));
}

function usableEvent(response: StreamResponse): ClientEvent {
  checkEvent(response, STREAM);
  checkParts(response, CONTENTS);
  return eventOf(response);
}

/** In 1.0 nothing but the state says that an event is the last one. */
function eventOf(response: StreamResponse): ClientEvent {
  return { response, isLast: false };
}

function usableSend(response: SendMessageResponse): SendMessageResponse {
  checkEvent(response, SEND);
  checkParts(response, CONTENTS);
  return response;
}

function usableTask(task: Task): Task {
  checkTask(task);
  checkParts(task, CONTENTS);
  return task;
}
