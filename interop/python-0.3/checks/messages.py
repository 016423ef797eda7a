from uuid import uuid4

from a2a.types import Message, Role, Task

from agent import state_of, text_of


async def run(agent, check) -> None:
    async def message_answer() -> None:
        message = await agent.send("hello")
        assert isinstance(message, Message), message
        assert text_of(message.parts) == "hello back" and message.role == Role.agent, message
        assert message.message_id

    async def task_answer() -> None:
        text = "grüße an alle 🙂"
        task = await agent.send(text)
        assert isinstance(task, Task) and state_of(task) == "completed", task
        assert text_of(task.artifacts[0].parts) == text and text_of(task.history[0].parts) == text, task
        assert task.id and task.context_id, task
        # On HTTP+JSON and gRPC this SDK drops the time.
        assert task.status.timestamp or agent.binding != "JSONRPC", task

    async def context_kept() -> None:
        context_id = f"ctx-{uuid4()}"
        assert (await agent.send("a", context_id=context_id)).context_id == context_id
        assert (await agent.send("b", context_id=context_id)).context_id == context_id

    async def short_history() -> None:
        asked = await agent.send("ask")
        more = await agent.send("more", task_id=asked.id, history_length=1)
        assert len(more.history) == 1, more

    async def immediately() -> None:
        task = await agent.send("slow", blocking=False)
        assert state_of(task) in ("submitted", "working"), task
        assert (await agent.task(task.id)).id == task.id
        await agent.cancel(task.id)

    async def follow_up() -> None:
        asked = await agent.send("ask")
        assert state_of(asked) == "input-required", asked
        assert text_of(asked.status.message.parts) == "which city?", asked
        more = await agent.send("more", task_id=asked.id, context_id=asked.context_id)
        assert state_of(more) == "input-required", more
        done = await agent.send("answer Paris", task_id=asked.id)
        assert (done.id, done.context_id) == (asked.id, asked.context_id), done
        assert state_of(done) == "completed" and text_of(done.artifacts[0].parts) == "Paris", done
        asks = [text_of(message.parts) for message in done.history if message.role == Role.user]
        assert asks == ["ask", "more", "answer Paris"], asks

    async def failures() -> None:
        failed = await agent.send("fail")
        assert state_of(failed) == "failed", failed
        assert text_of(failed.status.message.parts) == "broken on purpose", failed
        assert state_of(await agent.send("reject")) == "rejected"

    await check("SendMessage answers with a message", message_answer)
    await check("SendMessage answers with a finished task", task_answer)
    await check("SendMessage keeps the contextId of its caller", context_kept)
    # On HTTP+JSON and gRPC this SDK leaves out the length, and a `blocking` that is false.
    if agent.binding == "JSONRPC":
        await check("SendMessage with historyLength cuts the history", short_history)
        await check("SendMessage with blocking false answers a task under way", immediately)
    await check("SendMessage continues a task that needs input", follow_up)
    await check("SendMessage answers a task that failed, and one that was rejected", failures)
