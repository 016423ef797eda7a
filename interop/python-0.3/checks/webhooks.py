"""Webhooks that the SDK's client registers; what they are told is a task in the SDK's own type."""

from a2a.types import (
    GetTaskPushNotificationConfigParams,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    Task,
    TaskPushNotificationConfig,
)

from agent import state_of, story
from receiver import Delivery, Hook, Receiver

TOKEN = "the token"
CREDENTIALS = "the-credentials"


async def run(agent, agent_with, check) -> None:
    """Of an agent and a maker of others whose messages all bring that webhook: by call, this SDK cannot say it everywhere."""
    receiver = Receiver()

    def config(hook: Hook) -> PushNotificationConfig:
        authentication = PushNotificationAuthenticationInfo(schemes=["Bearer"], credentials=CREDENTIALS)
        return PushNotificationConfig(id="hook", url=hook.url, token=TOKEN, authentication=authentication)

    async def registered(hook: Hook) -> tuple[Task, TaskPushNotificationConfig]:
        task = await agent.send("ask")
        asked = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config(hook))
        return task, await agent.client.set_task_callback(asked)

    async def sent_with(hook: Hook) -> Task:
        bringing = agent_with(config(hook))
        async with bringing.client, bringing.streaming:
            return await bringing.send("chunks")

    async def tells_all() -> None:
        hook = receiver.open()
        sent = await sent_with(hook)
        tasks = [task_in(each) for each in await hook.told(is_done)]
        assert {(task.id, task.context_id) for task in tasks} == {(sent.id, sent.context_id)}, tasks
        states, text = story(tasks)
        assert once_in_a_row(states) == ["submitted", "working", "completed"], states
        assert text == "one two three", text

    async def has_headers() -> None:
        hook = receiver.open()
        sent = await sent_with(hook)
        generations = []
        for delivery in await hook.told(is_done):
            headers = delivery.headers
            assert headers["X-A2A-Notification-Token"] == TOKEN, headers
            assert headers["Authorization"] == f"Bearer {CREDENTIALS}", headers
            assert headers["Content-Type"] == "application/json", headers
            assert headers["A2A-Version"] == "0.3", headers
            task_id, generation, name = headers["A2A-Delivery-Id"].split(".")
            assert (task_id, name) == (sent.id, "hook"), headers
            generations.append(int(generation))
        assert generations == sorted(set(generations)), generations

    async def tells_again() -> None:
        hook = receiver.open(failures=1)
        await sent_with(hook)
        first, second, *_ = await hook.told(is_done)
        assert first.headers["A2A-Delivery-Id"] == second.headers["A2A-Delivery-Id"]
        assert first.body == second.body

    async def sets() -> None:
        hook = receiver.open()
        task, created = await registered(hook)
        assert (created.task_id, created.push_notification_config) == (task.id, config(hook)), created
        await agent.send("answer Paris", task_id=task.id)
        tasks = [task_in(each) for each in await hook.told(is_done)]
        assert {each.id for each in tasks} == {task.id}, tasks
        states, text = story(tasks)
        assert (states[-1], text) == ("completed", "Paris"), tasks

    async def gets() -> None:
        hook = receiver.open()
        task, _ = await registered(hook)
        params = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id="hook")
        found = await agent.client.get_task_callback(params)
        assert (found.task_id, found.push_notification_config) == (task.id, config(hook)), found

    # This SDK has no other operation of push configurations.
    await check("a webhook that comes with a message is told the whole task, in order", tells_all)
    await check("a webhook has its token, its credentials and the version in the headers", has_headers)
    await check("a webhook that fails at first is told the same again", tells_again)
    await check("CreateTaskPushNotificationConfig: a later webhook is told what follows", sets)
    await check("GetTaskPushNotificationConfig answers what was registered", gets)
    receiver.close()


def task_in(delivery: Delivery) -> Task:
    return Task.model_validate_json(delivery.body)


def is_done(received: list[Delivery]) -> bool:
    return any(state_of(task_in(each)) == "completed" for each in received)


def once_in_a_row(values: list[str]) -> list[str]:
    return [value for index, value in enumerate(values) if index == 0 or value != values[index - 1]]
