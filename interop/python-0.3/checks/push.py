from a2a.types import GetTaskPushNotificationConfigParams, PushNotificationConfig, TaskPushNotificationConfig

from refusals import PUSH_NOT_SUPPORTED, refused


async def run(agent, check) -> None:
    task_id = (await agent.send("done")).id
    hook = PushNotificationConfig(id="hook", url="http://127.0.0.1:9/hook")
    config = TaskPushNotificationConfig(task_id=task_id, push_notification_config=hook)

    async def create() -> None:
        await refused(agent.client.set_task_callback(config), agent.binding, PUSH_NOT_SUPPORTED)

    async def get() -> None:
        params = GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id="hook")
        await refused(agent.client.get_task_callback(params), agent.binding, PUSH_NOT_SUPPORTED)

    # This SDK has no other operation of push configurations.
    await check("CreateTaskPushNotificationConfig says that push is not supported", create)
    await check("GetTaskPushNotificationConfig says that push is not supported", get)
