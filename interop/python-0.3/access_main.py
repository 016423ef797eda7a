"""
Lets the SDK's clients in, in every way that the card names, on every binding. Arguments: the gateway's base URL, the
folder with what callers hold.
"""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path

from a2a.client import A2ACardResolver
from a2a.types import AgentCard

from access.connecting import Connecting
from access.credentials import WAYS
from access.refusals import FORBIDDEN, UNAUTHENTICATED, Refusal, kept_out
from access.tour import tour
from agent import Agent
from refusals import TASK_NOT_FOUND, refused
from report import Report

WRONG = {
    "mtls": "nobody's that is known",
    "apiKey": "the api key is not valid",
    "basic": "is wrong",
    "jwt": "the bearer token is not valid",
    "oidc": "the bearer token is not valid",
    "introspection": "the bearer token is not",
}


async def main(base_url: str, folder: str) -> int:
    report = Report()
    callers = json.loads((Path(folder) / "callers.json").read_text())
    clients = Connecting(callers["ca"])
    card = await card_at(clients, base_url)
    closed = await card_at(clients, f"{base_url}/a2a/closed")
    for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):

        async def check(title: str, run, binding=binding) -> None:
            await report.check(f"access-python-0.3 {binding} {title}", run)

        def held_by(caller: str, way: str, of: AgentCard = card, binding=binding) -> Agent:
            return clients.agent(of, binding, {way: callers[caller][way]})

        stranger = clients.agent(card, binding, {})
        needed = partial(is_refused, stranger, UNAUTHENTICATED, "credentials are needed")
        await check("a caller without credentials is told so", needed)
        for way in WAYS:
            mine, other = held_by("alice", way), held_by("bob", way)
            await check(f"{way} opens every operation", partial(tour, mine))
            await check(f"{way} of somebody else finds no task of mine", partial(is_not_found, mine, other))
            wrong = partial(is_refused, held_by("wrong", way), UNAUTHENTICATED, WRONG[way])
            await check(f"{way} that is wrong is refused", wrong)
            forbidden = partial(is_refused, held_by("alice", way, closed), FORBIDDEN, "is not allowed on agent closed")
            await check(f"{way} does not open an agent of no policy", forbidden)
        for way in ("jwt", "oidc"):
            expired = partial(is_refused, held_by("expired", way), UNAUTHENTICATED, "the bearer token has expired")
            await check(f"{way} that has expired is refused", expired)
    return report.close()


async def card_at(clients: Connecting, url: str) -> AgentCard:
    async with clients.http({}, {}) as http:
        return await A2ACardResolver(http, url).get_agent_card()


async def is_refused(agent: Agent, expected: Refusal, reason: str) -> None:
    for call in (agent.task("any"), agent.send("hello"), agent.stream("hello")):
        await kept_out(call, agent.binding, expected, reason)


async def is_not_found(mine: Agent, other: Agent) -> None:
    task_id = (await mine.send("mine")).id
    await refused(other.task(task_id), other.binding, TASK_NOT_FOUND)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python access_main.py BASE_URL FOLDER")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
