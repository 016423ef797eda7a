"""Every operation once, as somebody who is let in."""

from a2a.types import GetTaskPushNotificationConfigParams, PushNotificationConfig, TaskPushNotificationConfig

from agent import Agent, state_of, story


async def tour(agent: Agent) -> None:
    sent = await agent.send("hello")
    assert state_of(sent) == "completed", sent
    assert (await agent.task(sent.id)).id == sent.id
    states, _ = story(await agent.stream("hello"))
    assert states[-1] == "completed", states
    waiting = (await agent.send("ask")).id
    subscription = agent.subscription(waiting)
    assert (await anext(subscription)).id == waiting
    await subscription.aclose()
    # This SDK has no other operation of push configurations.
    hook = PushNotificationConfig(id="hook", url="http://127.0.0.1:9/hook")
    await agent.client.set_task_callback(TaskPushNotificationConfig(task_id=waiting, push_notification_config=hook))
    params = GetTaskPushNotificationConfigParams(id=waiting, push_notification_config_id="hook")
    assert (await agent.client.get_task_callback(params)).push_notification_config.url == hook.url
    assert state_of(await agent.cancel(waiting)) == "canceled"
    card = await agent.client.get_card()
    assert card.description == "Seen by those who ask for more", card
