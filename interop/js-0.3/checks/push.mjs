import assert from "node:assert/strict";
import { PushNotificationNotSupportedError } from "@a2a-js/sdk/client";
import { send } from "../requests.mjs";

export async function pushChecks(client, check) {
  const { id } = await client.sendMessage(send("done"));
  const pushNotificationConfigId = "hook";
  const operations = {
    CreateTaskPushNotificationConfig: () =>
      client.setTaskPushNotificationConfig({
        taskId: id,
        pushNotificationConfig: { id: pushNotificationConfigId, url: "http://127.0.0.1:9/hook" },
      }),
    GetTaskPushNotificationConfig: () =>
      client.getTaskPushNotificationConfig({ id, pushNotificationConfigId }),
    ListTaskPushNotificationConfigs: () => client.listTaskPushNotificationConfig({ id }),
    DeleteTaskPushNotificationConfig: () =>
      client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId }),
  };
  for (const [name, call] of Object.entries(operations))
    await check(`${name} says that push is not supported`, () =>
      assert.rejects(call(), PushNotificationNotSupportedError),
    );
}
