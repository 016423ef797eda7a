"""Webhooks that the SDK's client registers, and what they are told in the SDK's own types."""

from a2a.compat.v0_3 import conversions
from a2a.compat.v0_3.types import Task as OlderTask
from a2a.types import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    StreamResponse,
    TaskPushNotificationConfig,
)
from google.protobuf import json_format

from agent import kinds, story
from receiver import Delivery, Hook, Receiver

TOKEN = "the token"
CREDENTIALS = "the-credentials"
TYPES = {"1.0": "application/a2a+json", "0.3": "application/json"}


async def run(agent, check) -> None:
    receiver = Receiver()
    client = agent.client
    older = agent.version == "0.3"

    def event_of(delivery: Delivery) -> StreamResponse:
        """Fails for a field that the SDK's type does not have."""
        if older:
            return StreamResponse(task=conversions.to_core_task(OlderTask.model_validate_json(delivery.body)))
        return json_format.Parse(delivery.body, StreamResponse())

    def is_done(received: list[Delivery]) -> bool:
        return any(state == "COMPLETED" for state in story([event_of(each) for each in received])[0])

    def config(hook: Hook, task_id: str = "", name: str = "hook") -> TaskPushNotificationConfig:
        authentication = AuthenticationInfo(scheme="Bearer", credentials=CREDENTIALS)
        return TaskPushNotificationConfig(task_id=task_id, id=name, url=hook.url, token=TOKEN, authentication=authentication)

    async def tells_all() -> None:
        hook = receiver.open()
        task = await agent.send("chunks", task_push_notification_config=config(hook))
        events = [event_of(each) for each in await hook.told(is_done)]
        assert {ids_of(event) for event in events} == {(task.id, task.context_id)}, events
        states, text = story(events)
        assert once_in_a_row(states) == ["SUBMITTED", "WORKING", "COMPLETED"], states
        assert text == "one two three", text
        expected = ["task"] if older else ["task", "status_update", "artifact_update", "status_update"]
        assert once_in_a_row(kinds(events)) == expected, kinds(events)

    async def has_headers() -> None:
        hook = receiver.open()
        task = await agent.send("chunks", task_push_notification_config=config(hook))
        received = await hook.told(is_done)
        generations = []
        for delivery in received:
            headers = delivery.headers
            assert headers["X-A2A-Notification-Token"] == TOKEN, headers
            assert headers["Authorization"] == f"Bearer {CREDENTIALS}", headers
            assert headers["Content-Type"] == TYPES[agent.version], headers
            assert headers["A2A-Version"] == agent.version, headers
            task_id, generation, name = headers["A2A-Delivery-Id"].split(".")
            assert (task_id, name) == (task.id, "hook"), headers
            generations.append(int(generation))
        assert generations == sorted(set(generations)), generations

    async def tells_again() -> None:
        hook = receiver.open(failures=2)
        await agent.send("chunks", task_push_notification_config=config(hook))
        received = await hook.told(is_done)
        assert len({each.headers["A2A-Delivery-Id"] for each in received[:3]}) == 1
        assert len({each.body for each in received[:3]}) == 1
        attempts = [each.headers["A2A-Delivery-Attempt"] for each in received[:4]]
        assert attempts == ["1", "2", "3", "1"], attempts

    async def creates() -> None:
        hook = receiver.open()
        task = await agent.send("ask")
        created = await client.create_task_push_notification_config(config(hook, task.id))
        assert (created.task_id, created.id, created.url) == (task.id, "hook", hook.url), created
        await agent.send("answer Paris", task_id=task.id)
        events = [event_of(each) for each in await hook.told(is_done)]
        assert kinds(events)[0] == "task", events
        assert {ids_of(event) for event in events} == {(task.id, task.context_id)}, events
        states, text = story(events)
        assert (states[-1], text) == ("COMPLETED", "Paris"), events

    async def gets() -> None:
        hook = receiver.open()
        task = await agent.send("ask")
        await client.create_task_push_notification_config(config(hook, task.id))
        found = await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(task_id=task.id, id="hook"))
        assert found == config(hook, task.id), found

    async def lists() -> None:
        hook = receiver.open()
        task = await agent.send("ask")
        await client.create_task_push_notification_config(config(hook, task.id))
        listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task.id))
        assert list(listed.configs) == [config(hook, task.id)], listed

    async def deletes() -> None:
        deleted, kept = receiver.open(), receiver.open()
        task = await agent.send("ask")
        await client.create_task_push_notification_config(config(deleted, task.id))
        await client.create_task_push_notification_config(config(kept, task.id, "kept"))
        await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="hook"))
        await agent.send("answer Paris", task_id=task.id)
        await kept.told(is_done)
        assert deleted.received == [], deleted.received

    checks = {
        "a webhook that comes with a message is told the whole task, in order": tells_all,
        "a webhook has its token, its credentials and the version in the headers": has_headers,
        "a webhook that fails at first is told the same again": tells_again,
        "CreateTaskPushNotificationConfig: a later webhook is told the task and what follows": creates,
        "GetTaskPushNotificationConfig answers what was registered": gets,
        "ListTaskPushNotificationConfigs answers what was registered": lists,
        "DeleteTaskPushNotificationConfig: nothing more is told": deletes,
    }
    # Where it speaks 0.3 over HTTP+JSON, this SDK has neither of the last two.
    if (agent.version, agent.binding) == ("0.3", "HTTP+JSON"):
        checks = dict(list(checks.items())[:-2])
    for title, each in checks.items():
        await check(title, each)
    receiver.close()


def ids_of(event: StreamResponse) -> tuple[str, str]:
    kind = event.WhichOneof("payload")
    value = getattr(event, kind)
    return (value.id if kind == "task" else value.task_id), value.context_id


def once_in_a_row(values: list[str]) -> list[str]:
    return [value for index, value in enumerate(values) if index == 0 or value != values[index - 1]]
