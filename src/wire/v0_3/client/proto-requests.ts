/** Requests of the model as those of the 0.3 protobuf, for gRPC and for bodies of HTTP+JSON. */
import type { SendMessageConfiguration, SendMessageRequest } from "../../../protocol/model.ts";
import type { Encoders } from "../../client-codecs.ts";
import { messages } from "../messages.ts";
import { nameOfTask } from "../names.ts";
import type { Draft } from "../draft.ts";
import { protoMessageOf } from "../proto-message.ts";
import type { ProtoSendConfiguration, ProtoSendRequest } from "../proto-model.ts";
import { protoPushConfigOf } from "../push-configs.ts";

export const protoEncoders: Encoders<Uint8Array> = {
  sendMessage: encodeSend,
  sendStreamingMessage: encodeSend,
  getTask({ id, historyLength }) {
    const name = nameOfTask(id);
    return messages.GetTaskRequest.toProto(
      historyLength === undefined ? { name } : { name, historyLength },
    );
  },
  cancelTask: ({ id }) => messages.CancelTaskRequest.toProto({ name: nameOfTask(id) }),
  subscribeToTask: ({ id }) => messages.TaskSubscriptionRequest.toProto({ name: nameOfTask(id) }),
};

function encodeSend(request: SendMessageRequest): Uint8Array {
  return messages.SendMessageRequest.toProto(protoSendRequestOf(request));
}

export function protoSendRequestOf({
  message,
  configuration = {},
  metadata,
}: SendMessageRequest): ProtoSendRequest {
  const out: Draft<ProtoSendRequest> = {
    message: protoMessageOf(message),
    configuration: protoConfigurationOf(configuration),
  };
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

/** `blocking` is always said in JSON; on gRPC a false one is the same as none. */
function protoConfigurationOf({
  acceptedOutputModes,
  taskPushNotificationConfig,
  historyLength,
  returnImmediately = false,
}: SendMessageConfiguration): ProtoSendConfiguration {
  const out: Draft<ProtoSendConfiguration> = { blocking: !returnImmediately };
  if (acceptedOutputModes !== undefined) out.acceptedOutputModes = acceptedOutputModes;
  if (taskPushNotificationConfig !== undefined)
    out.pushNotification = protoPushConfigOf(taskPushNotificationConfig);
  if (historyLength !== undefined) out.historyLength = historyLength;
  return out;
}
