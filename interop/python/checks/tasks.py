from a2a.types import CancelTaskRequest
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError

from agent import raises, state_of, text_of


async def run(agent, check) -> None:
    def cancel(task_id: str):
        return agent.client.cancel_task(CancelTaskRequest(id=task_id))

    async def same() -> None:
        sent = await agent.send("the same")
        assert await agent.task(sent.id) == sent

    async def history() -> None:
        task = await agent.send("ask")
        await agent.send("answer Bonn", task_id=task.id)

        async def texts(**options) -> list[str]:
            return [text_of(message.parts) for message in (await agent.task(task.id, **options)).history]

        everything = await texts()
        assert "ask" in everything and "answer Bonn" in everything, everything
        assert await texts(history_length=100) == everything
        assert await texts(history_length=1) == everything[-1:]
        # In the protobuf of 0.3 a length of zero is no length at all.
        none = agent.version == "1.0" or agent.binding != "GRPC"
        assert await texts(history_length=0) == ([] if none else everything)

    async def under_way() -> None:
        task_id = await agent.begun("slow")
        assert state_of(await cancel(task_id)) == "CANCELED"
        assert state_of(await agent.task(task_id)) == "CANCELED"
        if agent.version == "1.0":
            assert state_of(await cancel(task_id)) == "CANCELED"
        else:
            await raises(cancel(task_id), TaskNotCancelableError)

    async def waiting() -> None:
        task = await agent.send("ask")
        assert state_of(await cancel(task.id)) == "CANCELED"

    async def refused() -> None:
        task = await agent.send("done")
        await raises(cancel(task.id), TaskNotCancelableError)
        await raises(cancel("no-such-task"), TaskNotFoundError)

    await check("GetTask answers what SendMessage answered", same)
    await check("GetTask cuts the history to the newest messages", history)
    again = "answers a canceled one again" if agent.version == "1.0" else "refuses a canceled one"
    await check(f"CancelTask stops a task under way, and {again}", under_way)
    await check("CancelTask cancels a task that waits for input", waiting)
    await check("CancelTask refuses a finished task and one that is not there", refused)
