/**
 * What HTTP+JSON of 0.3 reads and answers, for a description of it: the messages of its protobuf. Clients in the field
 * send other forms too, which are taken and not described.
 */
import type { JsonObject } from "../../protocol/json.ts";
import type { OperationName } from "../../protocol/service.ts";
import type { RestShape } from "../dialect.ts";
import type { MessageDescription } from "../schema.ts";
import type { Described } from "../schema/json-schema.ts";
import { messages } from "./messages.ts";

const nothing = (): Described => ({ json: { type: "object" }, named: new Map() });
/** The path has all there is to say. */
const NO_MEMBERS: MessageDescription = {
  answer: nothing,
  body: () => ({ ...nothing(), json: { type: ["object", "null"] }, isRequired: false }),
  query: () => [],
};

const task = messages.Task.description.answer;
const event = messages.StreamResponse.description.answer;
const config = messages.TaskPushNotificationConfig.description.answer;

/** Structured data need not be an object (rest-data-parts.ts). */
function withAnyData(message: MessageDescription): MessageDescription {
  return {
    ...message,
    body(omitted) {
      const body = message.body(omitted);
      const part = { type: "object", properties: { data: {} } };
      return { ...body, named: new Map([...body.named, ["a2a.v1.DataPart.request", part]]) };
    },
  };
}

const send = withAnyData(messages.SendMessageRequest.description);

/** Both names of a task stand in the path, one as `tasks/ID`. */
const NAMES = ["name", "parent"];

export const shapes: Readonly<Record<Exclude<OperationName, "listTasks">, RestShape>> = {
  sendMessage: {
    ...shape(send, messages.SendMessageResponse.description.answer),
    madeId: "/task/id",
  },
  sendStreamingMessage: shape(send, event),
  getTask: shape(messages.GetTaskRequest.description, task),
  cancelTask: shape(NO_MEMBERS, task),
  subscribeToTask: shape(NO_MEMBERS, event),
  createTaskPushNotificationConfig: {
    ...shape(messages.CreateTaskPushNotificationConfigRequest.description, config),
    madeId: "/pushNotificationConfig/id",
  },
  getTaskPushNotificationConfig: shape(NO_MEMBERS, config),
  listTaskPushNotificationConfigs: shape(
    messages.ListTaskPushNotificationConfigRequest.description,
    messages.ListTaskPushNotificationConfigResponse.description.answer,
  ),
  deleteTaskPushNotificationConfig: shape(NO_MEMBERS, nothing),
  // The card of the JSON schema and that of the protobuf in one.
  getExtendedAgentCard: shape(NO_MEMBERS, nothing),
};

function shape(request: MessageDescription, answer: () => Described): RestShape {
  return { request, elsewhere: NAMES, answer };
}

export const failureSchema: JsonObject = {
  type: "object",
  properties: {
    code: { type: "integer" },
    message: { type: "string" },
    type: { type: "string" },
    error: { type: "string" },
  },
  required: ["code", "message"],
};
