"""The agent under test, as the SDK's client sees it on one binding, and readings of its answers."""

from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

from a2a.client import Client
from a2a.types import (
    AgentCard,
    Message,
    MessageSendConfiguration,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskQueryParams,
    TaskStatusUpdateEvent,
    TextPart,
)

Event = Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent


def text_part(text: str) -> Part:
    return Part(root=TextPart(text=text))


class Agent:
    """Two clients on one binding: the SDK decides by configuration whether a send is a stream."""

    def __init__(self, binding: str, card: AgentCard, unary: Client, streaming: Client) -> None:
        self.binding = binding
        self.card = card
        self.client = unary
        self.streaming = streaming

    def _sent(self, client: Client, text: str, *, parts=None, task_id=None, context_id=None, message_id=None, **configuration):
        message = Message(
            message_id=str(uuid4()) if message_id is None else message_id,
            role=Role.user,
            parts=[text_part(text)] if parts is None else parts,
            task_id=task_id,
            context_id=context_id,
        )
        return client.send_message(message, configuration=MessageSendConfiguration(**configuration))

    async def send(self, text: str, **options) -> Task | Message:
        answers = [answer async for answer in self._sent(self.client, text, **options)]
        assert len(answers) == 1, answers
        return answers[0][0] if isinstance(answers[0], tuple) else answers[0]

    def events_of(self, text: str, **options) -> AsyncIterator[Event]:
        return _events(self._sent(self.streaming, text, **options))

    async def stream(self, text: str, **options) -> list[Event]:
        return await collect(self.events_of(text, **options))

    async def begun(self, text: str) -> str:
        """The id of a task that is under way. By stream: on HTTP+JSON and gRPC this SDK leaves out a `blocking` that is false."""
        stream = self._sent(self.streaming, text)
        task, _ = await anext(stream)
        await stream.aclose()
        return task.id

    def subscription(self, task_id: str) -> AsyncIterator[Event]:
        return _events(self.streaming.resubscribe(TaskIdParams(id=task_id)))

    async def task(self, task_id: str, **options) -> Task:
        return await self.client.get_task(TaskQueryParams(id=task_id, **options))

    async def cancel(self, task_id: str) -> Task:
        return await self.client.cancel_task(TaskIdParams(id=task_id))


async def _events(stream) -> AsyncIterator[Event]:
    """The events of a stream as they came: the SDK goes on writing into what it has handed out."""
    async for item in stream:
        if isinstance(item, Message):
            yield item
        else:
            task, update = item
            yield (task if update is None else update).model_copy(deep=True)


async def collect(stream: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in stream]


def text_of(parts: Sequence[Part]) -> str:
    return "".join(part.root.text for part in parts if isinstance(part.root, TextPart))


def state_of(task) -> str:
    return task.status.state.value


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events]


def final_only_at_the_end(events: Sequence[Event]) -> bool:
    flags = [isinstance(event, TaskStatusUpdateEvent) and event.final for event in events]
    return flags == [False] * (len(events) - 1) + [True]


def story(events: Sequence[Event]) -> tuple[list[str], str]:
    """The states that a stream went through, and its artifacts as a reader puts them together."""
    states: list[str] = []
    artifacts: dict[str, str] = {}
    for event in events:
        match event:
            case Task():
                states.append(state_of(event))
                for artifact in event.artifacts or []:
                    artifacts[artifact.artifact_id] = text_of(artifact.parts)
            case TaskStatusUpdateEvent():
                states.append(state_of(event))
            case TaskArtifactUpdateEvent():
                before = artifacts.get(event.artifact.artifact_id, "") if event.append else ""
                artifacts[event.artifact.artifact_id] = before + text_of(event.artifact.parts)
    return states, "|".join(artifacts.values())
