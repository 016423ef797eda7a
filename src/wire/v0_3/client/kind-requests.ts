/** The parameters of the methods of 0.3 (spec 0.3, 7), for agents. 0.3 has no tenants. */
import type {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from "../../../protocol/model.ts";
import type { Encoders } from "../../client-codecs.ts";
import { legacyMessageOf, legacyPushConfigOf } from "../kind/encode-model.ts";

export const kindEncoders: Encoders<unknown> = {
  sendMessage: kindOfSendRequest,
  sendStreamingMessage: kindOfSendRequest,
  getTask: ({ id, historyLength }: GetTaskRequest) => ({ id, historyLength }),
  cancelTask: ({ id, metadata }: CancelTaskRequest) => ({ id, metadata }),
  subscribeToTask: ({ id }: SubscribeToTaskRequest) => ({ id }),
};

function kindOfSendRequest({ message, configuration = {}, metadata }: SendMessageRequest): object {
  return {
    message: legacyMessageOf(message),
    configuration: kindOfConfiguration(configuration),
    metadata,
  };
}

/** `blocking` is always said: agents differ in what they take an absent one for. */
function kindOfConfiguration(configuration: SendMessageConfiguration): object {
  const { acceptedOutputModes, historyLength, returnImmediately = false } = configuration;
  const { taskPushNotificationConfig: push } = configuration;
  return {
    acceptedOutputModes,
    blocking: !returnImmediately,
    historyLength,
    pushNotificationConfig: push && legacyPushConfigOf(push).pushNotificationConfig,
  };
}
