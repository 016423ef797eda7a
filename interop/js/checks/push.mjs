import assert from "node:assert/strict";
import { PushNotificationNotSupportedError } from "@a2a-js/sdk/errors";
import { errorOf } from "../refusals.mjs";
import { send } from "../requests.mjs";

export async function pushChecks(client, check, door) {
  const { id: taskId } = await client.sendMessage(send("done"));
  const operations = {
    CreateTaskPushNotificationConfig: () =>
      client.createTaskPushNotificationConfig({
        tenant: "",
        taskId,
        id: "hook",
        url: "http://127.0.0.1:9/hook",
        token: "",
        authentication: undefined,
      }),
    GetTaskPushNotificationConfig: () =>
      client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" }),
    ListTaskPushNotificationConfigs: () =>
      client.listTaskPushNotificationConfig({ tenant: "", taskId, pageSize: 0, pageToken: "" }),
    DeleteTaskPushNotificationConfig: () =>
      client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" }),
  };
  for (const [name, call] of Object.entries(operations))
    await check(`${name} says that push is not supported`, () =>
      assert.rejects(call(), errorOf(door)(PushNotificationNotSupportedError)),
    );
}
