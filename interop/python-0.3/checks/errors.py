from agent import collect
from refusals import (
    CONTENT_TYPE_NOT_SUPPORTED,
    INVALID_PARAMS,
    TASK_NOT_FOUND,
    UNSUPPORTED_OPERATION,
    refused,
    unsubscribed,
)


async def run(agent, check) -> None:
    finished = (await agent.send("done")).id
    waiting = (await agent.send("ask")).id
    unknown = "no-such-task"
    cases = [
        ("GetTask: no such task", refused, lambda: agent.task(unknown), TASK_NOT_FOUND),
        ("SendMessage: no such task", refused, lambda: agent.send("a", task_id=unknown), TASK_NOT_FOUND),
        ("SendStreamingMessage: no such task", refused, lambda: agent.stream("a", task_id=unknown), TASK_NOT_FOUND),
        ("SubscribeToTask: no such task", unsubscribed, lambda: collect(agent.subscription(unknown)), TASK_NOT_FOUND),
        (
            "SendMessage: a finished task takes no more messages",
            refused,
            lambda: agent.send("a", task_id=finished),
            UNSUPPORTED_OPERATION,
        ),
        (
            "SendStreamingMessage: a finished task takes no more messages",
            refused,
            lambda: agent.stream("a", task_id=finished),
            UNSUPPORTED_OPERATION,
        ),
        (
            "SubscribeToTask: a finished task has no more events",
            unsubscribed,
            lambda: collect(agent.subscription(finished)),
            UNSUPPORTED_OPERATION,
        ),
        (
            "SendMessage: a task has one context",
            refused,
            lambda: agent.send("a", task_id=waiting, context_id="another"),
            INVALID_PARAMS,
        ),
        ("SendMessage: a message has an id", refused, lambda: agent.send("a", message_id=""), INVALID_PARAMS),
        (
            "SendMessage: the error of an agent keeps its type",
            refused,
            lambda: agent.send("refuse"),
            CONTENT_TYPE_NOT_SUPPORTED,
        ),
    ]
    for title, comes, call, expected in cases:

        async def fails(comes=comes, call=call, expected=expected) -> None:
            await comes(call(), agent.binding, expected)

        await check(title, fails)
