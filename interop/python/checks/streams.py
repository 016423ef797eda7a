import asyncio

from agent import collect, kinds, story, text_of


async def run(agent, check) -> None:
    async def message_only() -> None:
        events = await agent.stream("hello")
        assert kinds(events) == ["message"], events
        assert text_of(events[0].message.parts) == "hello back", events

    async def whole_story() -> None:
        events = await agent.stream("chunks")
        expected = ["task", "status_update", *["artifact_update"] * 3, "status_update"]
        assert kinds(events) == expected, kinds(events)
        assert story(events) == (["SUBMITTED", "WORKING", "COMPLETED"], "one two three"), story(events)
        chunks = [event.artifact_update for event in events if event.HasField("artifact_update")]
        marks = [(chunk.append, chunk.last_chunk) for chunk in chunks]
        assert marks == [(False, False), (True, False), (True, True)], marks
        assert {chunk.task_id for chunk in chunks} == {events[0].task.id}
        assert text_of(events[0].task.history[0].parts) == "chunks", events[0]

    async def interrupted() -> None:
        asked = await agent.stream("ask")
        assert story(asked)[0][-1] == "INPUT_REQUIRED", asked
        done = await agent.stream("answer Rome", task_id=asked[0].task.id)
        assert kinds(done)[0] == "task" and done[0].task.id == asked[0].task.id, done
        states, text = story(done)
        assert (states[-1], text) == ("COMPLETED", "Rome"), done

    async def failure() -> None:
        events = await agent.stream("fail")
        assert story(events)[0][-1] == "FAILED", events

    async def subscribers() -> None:
        task_id = await agent.begun("ticks")
        streams = (collect(agent.subscription(task_id)) for _ in range(2))
        for events in await asyncio.gather(*streams):
            states, text = story(events)
            assert kinds(events)[0] == "task" and (states[-1], text) == ("COMPLETED", "12345"), events

    async def through_input() -> None:
        task = await agent.send("ask")
        events = []
        answer = None
        async for event in agent.subscription(task.id):
            events.append(event)
            answer = answer or asyncio.create_task(agent.send("answer Oslo", task_id=task.id))
        await answer
        states, _ = story(events)
        assert (states[0], states[-1]) == ("INPUT_REQUIRED", "COMPLETED"), states

    async def leaving() -> None:
        states, text = story(await collect(agent.subscription(await agent.begun("ticks"))))
        assert (states[-1], text) == ("COMPLETED", "12345"), (states, text)

    await check("SendStreamingMessage answers a message as its only event", message_only)
    await check("SendStreamingMessage tells the whole story in order", whole_story)
    await check("SendStreamingMessage ends at INPUT_REQUIRED and continues the task", interrupted)
    await check("SendStreamingMessage ends with the failure of a task", failure)
    await check("SubscribeToTask starts with the task and follows it to its end", subscribers)
    await check("SubscribeToTask stays through INPUT_REQUIRED", through_input)
    await check("a client that leaves a stream does not stop its task", leaving)
