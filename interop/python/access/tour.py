"""Every operation once, as somebody who is let in."""

from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    TaskPushNotificationConfig,
)

from agent import Agent, state_of, story


async def tour(agent: Agent) -> None:
    sent = await agent.send("hello")
    assert state_of(sent) == "COMPLETED", sent
    assert (await agent.task(sent.id)).id == sent.id
    states, _ = story(await agent.stream("hello"))
    assert states[-1] == "COMPLETED", states
    if agent.version == "1.0":
        assert sent.id in [task.id for task in (await agent.tasks()).tasks]
    waiting = (await agent.send("ask")).id
    subscription = agent.subscription(waiting)
    assert (await anext(subscription)).task.id == waiting
    await subscription.aclose()
    await push_tour(agent, waiting)
    assert state_of(await agent.client.cancel_task(CancelTaskRequest(id=waiting))) == "CANCELED"
    card = await agent.client.get_extended_agent_card(GetExtendedAgentCardRequest())
    assert card.description == "Seen by those who ask for more", card


async def push_tour(agent: Agent, task_id: str) -> None:
    client = agent.client
    hook = TaskPushNotificationConfig(task_id=task_id, id="hook", url="http://127.0.0.1:9/hook")
    assert (await client.create_task_push_notification_config(hook)).url == hook.url
    get = GetTaskPushNotificationConfigRequest(task_id=task_id, id="hook")
    assert (await client.get_task_push_notification_config(get)).url == hook.url
    # Where it speaks 0.3 over HTTP+JSON, this SDK has no more than the first two.
    if (agent.version, agent.binding) == ("0.3", "HTTP+JSON"):
        return
    page = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task_id))
    assert [config.id for config in page.configs] == ["hook"], page
    await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task_id, id="hook"))
