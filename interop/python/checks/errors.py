from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InvalidParamsError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from agent import collect, raises


async def run(agent, check) -> None:
    finished = (await agent.send("done")).id
    waiting = (await agent.send("ask")).id
    unknown = "no-such-task"
    cases = [
        ("GetTask: no such task", lambda: agent.task(unknown), TaskNotFoundError),
        ("SendMessage: no such task", lambda: agent.send("a", task_id=unknown), TaskNotFoundError),
        ("SendStreamingMessage: no such task", lambda: agent.stream("a", task_id=unknown), TaskNotFoundError),
        ("SubscribeToTask: no such task", lambda: collect(agent.subscription(unknown)), TaskNotFoundError),
        (
            "SendMessage: a finished task takes no more messages",
            lambda: agent.send("a", task_id=finished),
            UnsupportedOperationError,
        ),
        (
            "SendStreamingMessage: a finished task takes no more messages",
            lambda: agent.stream("a", task_id=finished),
            UnsupportedOperationError,
        ),
        (
            "SubscribeToTask: a finished task has no more events",
            lambda: collect(agent.subscription(finished)),
            UnsupportedOperationError,
        ),
        (
            "SendMessage: a task has one context",
            lambda: agent.send("a", task_id=waiting, context_id="another"),
            InvalidParamsError,
        ),
        ("SendMessage: a message has an id", lambda: agent.send("a", message_id=""), InvalidParamsError),
        (
            "SendMessage: the error of an agent keeps its type",
            lambda: agent.send("refuse"),
            ContentTypeNotSupportedError,
        ),
    ]
    if agent.version == "1.0":
        cases.append(("ListTasks: a page has a size", lambda: agent.tasks(page_size=1000), InvalidParamsError))
    for title, call, kind in cases:

        async def refused(call=call, kind=kind) -> None:
            await raises(call(), kind)

        await check(title, refused)
