from uuid import uuid4

from a2a.types import CancelTaskRequest, Message, Role
from google.protobuf.json_format import MessageToDict

from agent import state_of, text_of


async def run(agent, check) -> None:
    exact = agent.version == "1.0" or agent.binding == "JSONRPC"

    async def message_answer() -> None:
        message = await agent.send("hello")
        assert isinstance(message, Message), message
        assert text_of(message.parts) == "hello back" and message.role == Role.ROLE_AGENT, message
        assert message.message_id

    async def task_answer() -> None:
        text = "grüße an alle 🙂"
        task = await agent.send(text)
        assert state_of(task) == "COMPLETED", task
        assert text_of(task.artifacts[0].parts) == text and text_of(task.history[0].parts) == text, task
        assert task.id and task.context_id and task.status.HasField("timestamp"), task

    async def context_kept() -> None:
        context_id = f"ctx-{uuid4()}"
        assert (await agent.send("a", context_id=context_id)).context_id == context_id
        assert (await agent.send("b", context_id=context_id)).context_id == context_id

    async def no_history() -> None:
        assert not (await agent.send("a", history_length=0)).history

    async def immediately() -> None:
        task = await agent.send("slow", return_immediately=True)
        assert state_of(task) in ("SUBMITTED", "WORKING"), task
        assert (await agent.task(task.id)).id == task.id
        await agent.client.cancel_task(CancelTaskRequest(id=task.id))

    async def follow_up() -> None:
        asked = await agent.send("ask")
        assert state_of(asked) == "INPUT_REQUIRED", asked
        assert text_of(asked.status.message.parts) == "which city?", asked
        more = await agent.send("more", task_id=asked.id, context_id=asked.context_id)
        assert state_of(more) == "INPUT_REQUIRED", more
        done = await agent.send("answer Paris", task_id=asked.id)
        assert (done.id, done.context_id) == (asked.id, asked.context_id), done
        assert state_of(done) == "COMPLETED" and text_of(done.artifacts[0].parts) == "Paris", done
        asks = [text_of(message.parts) for message in done.history if message.role == Role.ROLE_USER]
        assert asks == ["ask", "more", "answer Paris"], asks

    async def bytes_and_data() -> None:
        file = (await agent.send("file")).artifacts[0].parts[0]
        assert (file.filename, file.media_type) == ("tick.txt", "text/plain"), file
        # On the protobuf bindings of 0.3 this SDK takes the bytes of a file for the text of their base64.
        if exact:
            assert file.raw == b"tick\0", file
        data = (await agent.send("data")).artifacts[0].parts[0]
        assert MessageToDict(data.data) == {"key": "value", "count": 42, "nothing": None, "list": [1, "two"]}, data

    async def failures() -> None:
        failed = await agent.send("fail")
        assert state_of(failed) == "FAILED", failed
        assert text_of(failed.status.message.parts) == "broken on purpose", failed
        assert state_of(await agent.send("reject")) == "REJECTED"

    await check("SendMessage answers with a message", message_answer)
    await check("SendMessage answers with a finished task", task_answer)
    await check("SendMessage keeps the contextId of its caller", context_kept)
    # On the protobuf bindings of 0.3 zero and false are the same as nothing.
    if exact:
        await check("SendMessage with historyLength 0 leaves the history out", no_history)
        await check("SendMessage with returnImmediately answers a task under way", immediately)
    await check("SendMessage continues a task that needs input", follow_up)
    await check("SendMessage carries bytes and structured data", bytes_and_data)
    await check("SendMessage answers a task that failed, and one that was rejected", failures)
