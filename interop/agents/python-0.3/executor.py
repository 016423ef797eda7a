"""Answers each text in its own way, as all agents of this folder do."""

import asyncio

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Part, TextPart
from a2a.utils import get_message_text, new_task


class Executor(AgentExecutor):
    def __init__(self) -> None:
        # Of tasks under way: the text that they were begun with.
        self.slow: dict[str, str] = {}
        self.canceled: set[str] = set()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        word, _, rest = get_message_text(context.message, "").partition(" ")

        def said(text: str):
            return updater.new_agent_message([part_of(text)])

        if word == "hello":
            return await event_queue.enqueue_event(said("hello back"))
        if word == "canceled?":
            return await event_queue.enqueue_event(said("yes" if rest in self.canceled else "no"))
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        if word == "ask":
            return await updater.requires_input(said("which city?"), final=True)
        await updater.start_work()
        if word == "fail":
            return await updater.failed(said("broken on purpose"))
        if word == "slow":
            self.slow[context.task_id] = rest
            await asyncio.sleep(30)
        elif word == "ticks":
            await asyncio.sleep(0.3)
            for tick in range(1, 6):
                await chunk(updater, "ticks", str(tick), tick == 1, tick == 5)
                await asyncio.sleep(0.1)
        elif word == "chunks":
            for index, text in enumerate(["one ", "two ", "three"]):
                await chunk(updater, "story", text, index == 0, index == 2)
        elif word == "answer":
            await updater.add_artifact([part_of(rest)], artifact_id="answer")
        else:
            await updater.add_artifact(context.message.parts, artifact_id="echo")
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.canceled.add(self.slow.pop(context.task_id, ""))
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def part_of(text: str) -> Part:
    return Part(root=TextPart(text=text))


async def chunk(updater: TaskUpdater, artifact_id: str, text: str, is_first: bool, is_last: bool) -> None:
    await updater.add_artifact([part_of(text)], artifact_id=artifact_id, append=not is_first, last_chunk=is_last)
