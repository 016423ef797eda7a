/** The operations' codecs on JSON-RPC 0.3. */
import type { ListTaskPushNotificationConfigsResponse } from "../../../protocol/model.ts";
import type { Codecs } from "../../dialect.ts";
import { hybridCardOf } from "../card.ts";
import { FINAL_STATES } from "../states.ts";
import {
  decodeCancelTask,
  decodeDeletePushConfig,
  decodeGetExtendedCard,
  decodeGetPushConfig,
  decodeGetTask,
  decodeKindSend,
  decodeListPushConfigs,
  decodeSetPushConfig,
  decodeSubscribe,
} from "./decode-requests.ts";
import { legacyPushConfigOf } from "./encode-model.ts";
import { kindOfItem, kindOfSend, kindOfTask } from "./encode-outputs.ts";
import type { LegacyTaskPushNotificationConfig } from "./shapes.ts";

export { decodeKindSend };

export const kindCodecs: Codecs = {
  sendMessage: { decode: decodeKindSend, encode: kindOfSend },
  sendStreamingMessage: {
    decode: decodeKindSend,
    encode: kindOfItem(FINAL_STATES.sendStreamingMessage),
  },
  getTask: { decode: decodeGetTask, encode: kindOfTask },
  cancelTask: { decode: decodeCancelTask, encode: kindOfTask },
  subscribeToTask: { decode: decodeSubscribe, encode: kindOfItem(FINAL_STATES.subscribeToTask) },
  createTaskPushNotificationConfig: { decode: decodeSetPushConfig, encode: legacyPushConfigOf },
  getTaskPushNotificationConfig: { decode: decodeGetPushConfig, encode: legacyPushConfigOf },
  listTaskPushNotificationConfigs: { decode: decodeListPushConfigs, encode: kindOfConfigs },
  deleteTaskPushNotificationConfig: { decode: decodeDeletePushConfig, encode: () => null },
  getExtendedAgentCard: { decode: decodeGetExtendedCard, encode: hybridCardOf },
};

/** All of them at once: 0.3 has no pages here. */
function kindOfConfigs({
  configs,
}: ListTaskPushNotificationConfigsResponse): readonly LegacyTaskPushNotificationConfig[] {
  return configs.map(legacyPushConfigOf);
}
