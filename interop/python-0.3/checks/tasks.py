from agent import state_of, text_of
from refusals import TASK_NOT_CANCELABLE, TASK_NOT_FOUND, refused


async def run(agent, check) -> None:
    async def same() -> None:
        sent = await agent.send("the same")
        assert await agent.task(sent.id) == sent

    async def history() -> None:
        task = await agent.send("ask")
        await agent.send("answer Bonn", task_id=task.id)

        async def texts(**options) -> list[str]:
            return [text_of(message.parts) for message in (await agent.task(task.id, **options)).history or []]

        everything = await texts()
        assert "ask" in everything and "answer Bonn" in everything, everything
        assert await texts(history_length=100) == everything
        assert await texts(history_length=1) == everything[-1:]
        # In the protobuf of 0.3 a length of zero is no length at all.
        assert await texts(history_length=0) == (everything if agent.binding == "GRPC" else [])

    async def under_way() -> None:
        task_id = await agent.begun("slow")
        assert state_of(await agent.cancel(task_id)) == "canceled"
        assert state_of(await agent.task(task_id)) == "canceled"
        await refused(agent.cancel(task_id), agent.binding, TASK_NOT_CANCELABLE)

    async def waiting() -> None:
        task = await agent.send("ask")
        assert state_of(await agent.cancel(task.id)) == "canceled"

    async def not_canceled() -> None:
        task = await agent.send("done")
        await refused(agent.cancel(task.id), agent.binding, TASK_NOT_CANCELABLE)
        await refused(agent.cancel("no-such-task"), agent.binding, TASK_NOT_FOUND)

    await check("GetTask answers what SendMessage answered", same)
    await check("GetTask cuts the history to the newest messages", history)
    await check("CancelTask stops a task under way, and refuses a canceled one", under_way)
    await check("CancelTask cancels a task that waits for input", waiting)
    await check("CancelTask refuses a finished task and one that is not there", not_canceled)
