from a2a.types import (
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import PushNotificationNotSupportedError

from agent import raises


async def run(agent, check) -> None:
    client = agent.client
    task_id = (await agent.send("done")).id
    hook = TaskPushNotificationConfig(task_id=task_id, id="hook", url="http://127.0.0.1:9/hook")
    calls = {
        "CreateTaskPushNotificationConfig": lambda: client.create_task_push_notification_config(hook),
        "GetTaskPushNotificationConfig": lambda: client.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(task_id=task_id, id="hook")
        ),
        "ListTaskPushNotificationConfigs": lambda: client.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task_id)
        ),
        "DeleteTaskPushNotificationConfig": lambda: client.delete_task_push_notification_config(
            DeleteTaskPushNotificationConfigRequest(task_id=task_id, id="hook")
        ),
    }
    # Where it speaks 0.3 over HTTP+JSON, this SDK has no more than the first two.
    if (agent.version, agent.binding) == ("0.3", "HTTP+JSON"):
        calls = dict(list(calls.items())[:2])
    for name, call in calls.items():

        async def refused(call=call) -> None:
            await raises(call(), PushNotificationNotSupportedError)

        await check(f"{name} says that push is not supported", refused)
