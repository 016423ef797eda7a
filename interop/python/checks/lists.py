from datetime import UTC, datetime, timedelta
from uuid import uuid4

from a2a.types import TaskState


async def run(agent, check) -> None:
    """Of 1.0 alone: in 0.3 no two sources agree on a ListTasks."""
    if agent.version == "0.3":
        return
    context_id = f"list-{uuid4()}"
    ids: list[str] = []

    async def pages() -> None:
        for text in ("one", "two", "three", "four", "ask"):
            ids.insert(0, (await agent.send(text, context_id=context_id)).id)
        seen: list[str] = []
        token = ""
        for size in (2, 2, 1):
            page = await agent.tasks(context_id=context_id, page_size=2, page_token=token)
            assert (len(page.tasks), page.total_size, page.page_size) == (size, 5, 2), page
            seen += [task.id for task in page.tasks]
            token = page.next_page_token
        assert token == "" and seen == ids, (seen, ids)

    async def by_state() -> None:
        page = await agent.tasks(context_id=context_id, status=TaskState.TASK_STATE_INPUT_REQUIRED)
        assert [task.id for task in page.tasks] == ids[:1] and page.total_size == 1, page

    async def by_time() -> None:
        hour = timedelta(hours=1)
        later = await agent.tasks(context_id=context_id, status_timestamp_after=datetime.now(UTC) + hour)
        assert (len(later.tasks), later.total_size) == (0, 0), later
        since = await agent.tasks(context_id=context_id, status_timestamp_after=datetime.now(UTC) - hour)
        assert (len(since.tasks), since.total_size) == (5, 5), since

    async def artifacts() -> None:
        bare = await agent.tasks(context_id=context_id)
        assert all(not task.artifacts for task in bare.tasks), bare
        full = await agent.tasks(context_id=context_id, include_artifacts=True)
        assert len(full.tasks[1].artifacts) == 1, full

    async def empty() -> None:
        page = await agent.tasks(context_id=f"none-{uuid4()}")
        assert (len(page.tasks), page.total_size, page.next_page_token) == (0, 0, ""), page

    await check("ListTasks walks all pages without gap or repeat, newest first", pages)
    await check("ListTasks filters by state", by_state)
    await check("ListTasks filters by time", by_time)
    await check("ListTasks leaves artifacts out unless they are asked for", artifacts)
    await check("ListTasks answers an empty page for an unknown context", empty)
