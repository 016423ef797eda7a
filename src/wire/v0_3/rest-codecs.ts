/** The operations' codecs on HTTP+JSON 0.3: a request is decoded from what the route found in it. */
import type { Codecs, RestInput } from "../dialect.ts";
import { hybridCardOf } from "./card.ts";
import { askedIdsOf } from "./names.ts";
import { protoTaskPushConfigOf } from "./push-configs.ts";
import { jsonOfItem, jsonOfPushConfigs, jsonOfSend, jsonOfTask } from "./rest-output.ts";
import {
  cancelTaskIn,
  createPushConfigIn,
  getTaskIn,
  listPushConfigsIn,
  pushConfigIn,
  sendMessageIn,
  subscribeToTaskIn,
} from "./rest-requests.ts";

export const restCodecs: Required<Omit<Codecs, "listTasks">> = {
  sendMessage: { decode: fromInput(sendMessageIn), encode: jsonOfSend },
  sendStreamingMessage: {
    decode: fromInput(sendMessageIn),
    encode: jsonOfItem("sendStreamingMessage"),
  },
  getTask: { decode: fromInput(getTaskIn), encode: jsonOfTask },
  cancelTask: { decode: fromInput(cancelTaskIn), encode: jsonOfTask },
  subscribeToTask: { decode: fromInput(subscribeToTaskIn), encode: jsonOfItem("subscribeToTask") },
  createTaskPushNotificationConfig: {
    decode: fromInput(createPushConfigIn),
    encode: protoTaskPushConfigOf,
  },
  getTaskPushNotificationConfig: {
    decode: fromInput((input) => askedIdsOf(pushConfigIn(input))),
    encode: protoTaskPushConfigOf,
  },
  listTaskPushNotificationConfigs: {
    decode: fromInput(listPushConfigsIn),
    encode: jsonOfPushConfigs,
  },
  deleteTaskPushNotificationConfig: { decode: fromInput(pushConfigIn), encode: () => ({}) },
  // Some clients read the card of the JSON schema here, others that of the protobuf: the hybrid has both.
  getExtendedAgentCard: { decode: () => ({}), encode: hybridCardOf },
};

function fromInput<T>(decode: (input: RestInput) => T): (wire: unknown) => T {
  return (wire) => decode(wire as RestInput);
}
