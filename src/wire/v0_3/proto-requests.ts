/** Requests of the 0.3 protobuf as requests of the model, the same for HTTP+JSON and gRPC. */
import type {
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  SendMessageConfiguration,
  SendMessageRequest,
} from "../../protocol/model.ts";
import type { Draft } from "./draft.ts";
import { messageOf } from "./proto-message.ts";
import type {
  ProtoListPushConfigsRequest,
  ProtoSendConfiguration,
  ProtoSendRequest,
} from "./proto-model.ts";
import { pushConfigOf } from "./push-configs.ts";

/**
 * Whether the answer waits is for the binding to say: protobuf cannot tell `blocking: false` from none, JSON can.
 */
export function sendRequestOf(
  { message, configuration, metadata }: ProtoSendRequest,
  waits: boolean,
): SendMessageRequest {
  const out: Draft<SendMessageRequest> = { message: messageOf(message) };
  if (configuration !== undefined || !waits)
    out.configuration = configurationOf(configuration ?? {}, waits);
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

function configurationOf(
  { acceptedOutputModes, pushNotification, historyLength }: ProtoSendConfiguration,
  waits: boolean,
): SendMessageConfiguration {
  const out: Draft<SendMessageConfiguration> = {};
  if (acceptedOutputModes !== undefined) out.acceptedOutputModes = acceptedOutputModes;
  if (pushNotification !== undefined)
    out.taskPushNotificationConfig = pushConfigOf(
      pushNotification,
      "configuration.pushNotification",
    );
  if (historyLength !== undefined) out.historyLength = historyLength;
  if (!waits) out.returnImmediately = true;
  return out;
}

export function getTaskRequestOf(id: string, historyLength: number | undefined): GetTaskRequest {
  return historyLength === undefined ? { id } : { id, historyLength };
}

export function listPushConfigsRequestOf(
  { pageSize, pageToken }: Omit<ProtoListPushConfigsRequest, "parent">,
  taskId: string,
): ListTaskPushNotificationConfigsRequest {
  const out: Draft<ListTaskPushNotificationConfigsRequest> = { taskId };
  if (pageSize !== undefined) out.pageSize = pageSize;
  if (pageToken !== undefined) out.pageToken = pageToken;
  return out;
}
