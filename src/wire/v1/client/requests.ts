/** Requests to agents of 1.0: the model is the wire form, in JSON as it is. */
import type { Encoders } from "../../client-codecs.ts";
import { messages } from "../messages.ts";

export const paramsEncoders: Encoders<unknown> = {
  sendMessage: asItIs,
  sendStreamingMessage: asItIs,
  getTask: asItIs,
  cancelTask: asItIs,
  subscribeToTask: asItIs,
};

export const protoEncoders: Encoders<Uint8Array> = {
  sendMessage: messages.SendMessageRequest.toProto,
  sendStreamingMessage: messages.SendMessageRequest.toProto,
  getTask: messages.GetTaskRequest.toProto,
  cancelTask: messages.CancelTaskRequest.toProto,
  subscribeToTask: messages.SubscribeToTaskRequest.toProto,
};

function asItIs(request: object): object {
  return request;
}
