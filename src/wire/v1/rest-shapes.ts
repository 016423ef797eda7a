/** What HTTP+JSON of 1.0 reads and answers, for a description of it: the messages that its codecs decode and write. */
import type { JsonObject } from "../../protocol/json.ts";
import type { OperationName } from "../../protocol/service.ts";
import type { RestShape } from "../dialect.ts";
import type { Described } from "../schema/json-schema.ts";
import { requests } from "./codecs.ts";
import { messages } from "./messages.ts";

const nothing = (): Described => ({ json: { type: "object" }, named: new Map() });

const task = messages.Task.description.answer;
const event = messages.StreamResponse.description.answer;
const config = messages.TaskPushNotificationConfig.description.answer;

const answers: Readonly<Record<OperationName, () => Described>> = {
  sendMessage: messages.SendMessageResponse.description.answer,
  sendStreamingMessage: event,
  getTask: task,
  listTasks: messages.ListTasksResponse.description.answer,
  cancelTask: task,
  subscribeToTask: event,
  createTaskPushNotificationConfig: config,
  getTaskPushNotificationConfig: config,
  listTaskPushNotificationConfigs:
    messages.ListTaskPushNotificationConfigsResponse.description.answer,
  deleteTaskPushNotificationConfig: nothing,
  getExtendedAgentCard: messages.AgentCard.description.answer,
};

export const shapes: Readonly<Record<OperationName, RestShape>> = {
  sendMessage: { ...shape("sendMessage", []), madeId: "/task/id" },
  sendStreamingMessage: shape("sendStreamingMessage", []),
  getTask: shape("getTask", ["id"]),
  listTasks: shape("listTasks", []),
  cancelTask: shape("cancelTask", ["id"]),
  subscribeToTask: shape("subscribeToTask", ["id"]),
  createTaskPushNotificationConfig: {
    ...shape("createTaskPushNotificationConfig", ["taskId"]),
    madeId: "/id",
  },
  getTaskPushNotificationConfig: shape("getTaskPushNotificationConfig", ["taskId", "id"]),
  listTaskPushNotificationConfigs: shape("listTaskPushNotificationConfigs", ["taskId"]),
  deleteTaskPushNotificationConfig: shape("deleteTaskPushNotificationConfig", ["taskId", "id"]),
  getExtendedAgentCard: shape("getExtendedAgentCard", []),
};

/** The address says which agent is meant: no tenant is needed. */
function shape(operation: OperationName, inPath: readonly string[]): RestShape {
  return {
    request: requests[operation].description,
    elsewhere: [...inPath, "tenant"],
    answer: answers[operation],
  };
}

/** Spec 11.6. */
export const failureSchema: JsonObject = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "integer" },
        status: { type: "string" },
        message: { type: "string" },
        details: { type: "array", items: { type: "object" } },
      },
      required: ["code", "status", "message"],
    },
  },
  required: ["error"],
};
