"""
Lets the SDK's clients in, in every way that the card names, on every binding. Arguments: the gateway's base URL, the
folder with what callers hold, the version to speak.
"""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path

from a2a.client import A2ACardResolver
from a2a.types import AgentCard
from a2a.utils.errors import TaskNotFoundError

from access.connecting import Connecting
from access.credentials import WAYS
from access.refusals import FORBIDDEN, UNAUTHENTICATED, Refusal, refused
from access.tour import tour
from agent import Agent, raises
from report import Report

WRONG = {
    "mtls": "nobody's that is known",
    "apiKey": "the api key is not valid",
    "basic": "is wrong",
    "jwt": "the bearer token is not valid",
    "oidc": "the bearer token is not valid",
    "introspection": "the bearer token is not",
}


async def main(base_url: str, folder: str, version: str = "1.0") -> int:
    report = Report()
    callers = json.loads((Path(folder) / "callers.json").read_text())
    clients = Connecting(callers["ca"], version)
    card = await card_at(clients, base_url, version)
    closed = await card_at(clients, f"{base_url}/a2a/closed", version)
    name = "access-python-compat" if version == "0.3" else "access-python"
    for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):

        async def check(title: str, run, binding=binding) -> None:
            await report.check(f"{name} {binding} {title}", run)

        def held_by(caller: str, way: str, of: AgentCard = card, binding=binding) -> Agent:
            return clients.agent(of, binding, {way: callers[caller][way]})

        stranger = clients.agent(card, binding, {})
        needed = partial(is_refused, stranger, UNAUTHENTICATED, "credentials are needed")
        await check("a caller without credentials is told so", needed)
        for way in WAYS:
            mine, other = held_by("alice", way), held_by("bob", way)
            # By itself: after the tour a client goes by the extended card, which it misreads where it speaks 0.3 over HTTP+JSON.
            await check(f"{way} opens every operation", partial(tour, held_by("alice", way)))
            await check(f"{way} of somebody else finds no task of mine", partial(is_not_found, mine, other))
            wrong = partial(is_refused, held_by("wrong", way), UNAUTHENTICATED, WRONG[way])
            await check(f"{way} that is wrong is refused", wrong)
            forbidden = partial(is_refused, held_by("alice", way, closed), FORBIDDEN, "is not allowed on agent closed")
            await check(f"{way} does not open an agent of no policy", forbidden)
        for way in ("jwt", "oidc"):
            expired = partial(is_refused, held_by("expired", way), UNAUTHENTICATED, "the bearer token has expired")
            await check(f"{way} that has expired is refused", expired)
    return report.close()


async def card_at(clients: Connecting, url: str, version: str) -> AgentCard:
    async with clients.http({}) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    for interface in list(card.supported_interfaces):
        if interface.protocol_version != version:
            card.supported_interfaces.remove(interface)
    return card


async def is_refused(agent: Agent, expected: Refusal, reason: str) -> None:
    for call in (agent.task("any"), agent.send("hello"), agent.stream("hello")):
        await refused(call, agent.binding, expected, reason)


async def is_not_found(mine: Agent, other: Agent) -> None:
    task_id = (await mine.send("mine")).id
    await raises(other.task(task_id), TaskNotFoundError)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python access_main.py BASE_URL FOLDER [VERSION]")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
