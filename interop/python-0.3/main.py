"""Runs every check on every binding of the agent whose base URL is the argument."""

import asyncio
import sys

import grpc
import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory

from agent import Agent
from checks import card, errors, messages, parts, push, signatures, streams, tasks
from report import Report


async def main(base_url: str) -> int:
    report = Report()
    async with httpx.AsyncClient() as http:
        served = await A2ACardResolver(http, base_url).get_agent_card()

    def client(binding: str, *, streaming: bool) -> Client:
        config = ClientConfig(
            streaming=streaming,
            supported_transports=[binding],
            grpc_channel_factory=grpc.aio.insecure_channel,
            httpx_client=httpx.AsyncClient(timeout=20),
        )
        # Clients write what they learn into their card.
        return ClientFactory(config).create(served.model_copy(deep=True))

    for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):
        agent = Agent(binding, served, client(binding, streaming=False), client(binding, streaming=True))

        async def check(title, run, binding=binding) -> None:
            await report.check(f"python-0.3 {binding} {title}", run)

        async with agent.client, agent.streaming:
            for group in (messages, parts, streams, tasks, push, errors, card):
                await group.run(agent, check)
    await signatures.run(base_url, lambda title, run: report.check(f"python-0.3 {title}", run))
    return report.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python main.py BASE_URL")
    sys.exit(asyncio.run(main(sys.argv[1])))
