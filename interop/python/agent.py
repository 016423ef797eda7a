"""The agent under test, as the SDK's client sees it on one binding, and readings of its answers."""

from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

from a2a.client import Client
from a2a.types import (
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)


def request(
    text: str, *, parts: Sequence[Part] = (), task_id: str = "", context_id: str = "", message_id: str | None = None, **configuration
) -> SendMessageRequest:
    message = Message(
        message_id=str(uuid4()) if message_id is None else message_id,
        role=Role.ROLE_USER,
        parts=parts or [Part(text=text)],
        task_id=task_id,
        context_id=context_id,
    )
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))


class Agent:
    """Two clients on one binding: the SDK decides by configuration whether a send is a stream."""

    def __init__(self, unary: Client, streaming: Client, binding: str, version: str) -> None:
        self.client = unary
        self.streaming = streaming
        self.binding = binding
        self.version = version

    async def send(self, text: str, **options) -> Task | Message:
        events = [event async for event in self.client.send_message(request(text, **options))]
        assert len(events) == 1, events
        kind = events[0].WhichOneof("payload")
        return getattr(events[0], kind)

    async def stream(self, text: str, **options) -> list[StreamResponse]:
        return await collect(self.streaming.send_message(request(text, **options)))

    def events_of(self, text: str) -> AsyncIterator[StreamResponse]:
        return self.streaming.send_message(request(text))

    async def begun(self, text: str) -> str:
        """The id of a task that is under way: by stream, since only JSON-RPC of 0.3 can say that nobody waits."""
        stream = self.events_of(text)
        first = await anext(stream)
        await stream.aclose()
        return first.task.id

    def subscription(self, task_id: str) -> AsyncIterator[StreamResponse]:
        return self.streaming.subscribe(SubscribeToTaskRequest(id=task_id))

    async def task(self, task_id: str, **options) -> Task:
        return await self.client.get_task(GetTaskRequest(id=task_id, **options))

    async def tasks(self, **filters):
        return await self.client.list_tasks(ListTasksRequest(**filters))


async def collect(stream: AsyncIterator[StreamResponse]) -> list[StreamResponse]:
    return [event async for event in stream]


def text_of(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts)


def state_of(task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_")


def kinds(events: list[StreamResponse]) -> list[str]:
    return [event.WhichOneof("payload") for event in events]


def story(events: list[StreamResponse]) -> tuple[list[str], str]:
    """The states that a stream went through, and its artifacts as a reader puts them together."""
    states: list[str] = []
    artifacts: dict[str, str] = {}
    for event in events:
        match event.WhichOneof("payload"):
            case "task":
                states.append(state_of(event.task))
                for artifact in event.task.artifacts:
                    artifacts[artifact.artifact_id] = text_of(artifact.parts)
            case "status_update":
                states.append(state_of(event.status_update))
            case "artifact_update":
                update = event.artifact_update
                before = artifacts.get(update.artifact.artifact_id, "") if update.append else ""
                artifacts[update.artifact.artifact_id] = before + text_of(update.artifact.parts)
    return states, "|".join(artifacts.values())


async def raises(awaitable, kind: type[Exception]) -> None:
    """Passes when the SDK raises this very type of error, not one of its generic ones."""
    try:
        result = await awaitable
    except kind as error:
        assert type(error) is kind, repr(error)
    else:
        raise AssertionError(f"no {kind.__name__} but {result!r}")
