/** The operations' codecs on gRPC 0.3. */
import type { SendMessageRequest } from "../../protocol/model.ts";
import type { Codecs } from "../dialect.ts";
import type { MessageSchema } from "../schema.ts";
import {
  bytesOfItem,
  bytesOfPushConfig,
  bytesOfPushConfigs,
  bytesOfSend,
  bytesOfTask,
} from "./grpc-output.ts";
import { messages } from "./messages.ts";
import { askedIdsOf, parentIdOf, pushConfigIdsOf, taskIdOf } from "./names.ts";
import { protoCardOf } from "./proto-card.ts";
import { getTaskRequestOf, listPushConfigsRequestOf, sendRequestOf } from "./proto-requests.ts";
import { createdPushConfigOf } from "./push-configs.ts";

/** `waitsByDefault`: whether a send waits that does not ask to; there is no way to ask not to. */
export function grpcCodecs(waitsByDefault: boolean): Required<Omit<Codecs, "listTasks">> {
  const decodeSend = fromProto(messages.SendMessageRequest, (request): SendMessageRequest =>
    sendRequestOf(request, request.configuration?.blocking ?? waitsByDefault),
  );
  return {
    sendMessage: { decode: decodeSend, encode: bytesOfSend },
    sendStreamingMessage: { decode: decodeSend, encode: bytesOfItem("sendStreamingMessage") },
    getTask: {
      decode: fromProto(messages.GetTaskRequest, ({ name, historyLength }) =>
        getTaskRequestOf(taskIdOf(name), historyLength),
      ),
      encode: bytesOfTask,
    },
    cancelTask: {
      decode: fromProto(messages.CancelTaskRequest, ({ name }) => ({ id: taskIdOf(name) })),
      encode: bytesOfTask,
    },
    subscribeToTask: {
      decode: fromProto(messages.TaskSubscriptionRequest, ({ name }) => ({ id: taskIdOf(name) })),
      encode: bytesOfItem("subscribeToTask"),
    },
    createTaskPushNotificationConfig: {
      decode: fromProto(messages.CreateTaskPushNotificationConfigRequest, (request) =>
        createdPushConfigOf(request, parentIdOf(request.parent)),
      ),
      encode: bytesOfPushConfig,
    },
    getTaskPushNotificationConfig: {
      decode: fromProto(messages.GetTaskPushNotificationConfigRequest, ({ name }) =>
        askedIdsOf(pushConfigIdsOf(name)),
      ),
      encode: bytesOfPushConfig,
    },
    listTaskPushNotificationConfigs: {
      decode: fromProto(messages.ListTaskPushNotificationConfigRequest, (request) =>
        listPushConfigsRequestOf(request, parentIdOf(request.parent)),
      ),
      encode: bytesOfPushConfigs,
    },
    deleteTaskPushNotificationConfig: {
      decode: fromProto(messages.DeleteTaskPushNotificationConfigRequest, ({ name }) =>
        pushConfigIdsOf(name),
      ),
      encode: () => new Uint8Array(),
    },
    getExtendedAgentCard: {
      decode: () => ({}),
      encode: (card) => messages.AgentCard.toProto(protoCardOf(card)),
    },
  };
}

function fromProto<T, R>(
  schema: MessageSchema<T>,
  requestOf: (request: T) => R,
): (wire: unknown) => R {
  return (wire) => requestOf(schema.fromProto(wire as Uint8Array));
}
