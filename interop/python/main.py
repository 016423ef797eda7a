"""Runs every check on every binding of the agent whose base URL is the argument, in the version named behind it."""

import asyncio
import sys

import grpc
import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import AgentCard

from agent import Agent
from checks import card, errors, lists, messages, parts, push, signatures, streams, tasks, webhooks
from report import Report


async def main(base_url: str, version: str = "1.0") -> int:
    report = Report()
    async with httpx.AsyncClient() as http:
        served = await A2ACardResolver(http, base_url).get_agent_card()
        hooked = await A2ACardResolver(http, f"{base_url}/a2a/webhooks").get_agent_card()
    for each in (served, hooked):
        for interface in list(each.supported_interfaces):
            if interface.protocol_version != version:
                each.supported_interfaces.remove(interface)
    name = "python-compat" if version == "0.3" else "python"

    def client(binding: str, *, streaming: bool, agent_card: AgentCard = served) -> Client:
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[binding],
            grpc_channel_factory=grpc.aio.insecure_channel,
            httpx_client=httpx.AsyncClient(timeout=20),
        )
        return ClientFactory(config).create(agent_card)

    for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):
        unary, streaming = client(binding, streaming=False), client(binding, streaming=True)

        async def check(title, run, binding=binding) -> None:
            await report.check(f"{name} {binding} {title}", run)

        async with unary, streaming:
            for group in (messages, parts, streams, tasks, lists, push, errors, card):
                await group.run(Agent(unary, streaming, binding, version), check)
        unary, streaming = (client(binding, streaming=each, agent_card=hooked) for each in (False, True))
        async with unary, streaming:
            await webhooks.run(Agent(unary, streaming, binding, version), check)
    await signatures.run(base_url, lambda title, run: report.check(f"{name} {title}", run))
    return report.close()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python main.py BASE_URL [VERSION]")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
