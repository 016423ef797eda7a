"""Runs every check on every binding of the agent whose base URL is the argument."""

import asyncio
import sys
from functools import partial

import grpc
import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import AgentCard, PushNotificationConfig

from agent import Agent
from checks import card, errors, messages, parts, push, signatures, streams, tasks, webhooks
from report import Report


async def main(base_url: str) -> int:
    report = Report()
    async with httpx.AsyncClient() as http:
        served = await A2ACardResolver(http, base_url).get_agent_card()
        hooked = await A2ACardResolver(http, f"{base_url}/a2a/webhooks").get_agent_card()

    def client(agent_card: AgentCard, binding: str, hooks: list[PushNotificationConfig], *, streaming: bool) -> Client:
        config = ClientConfig(
            push_notification_configs=hooks,
            streaming=streaming,
            supported_transports=[binding],
            grpc_channel_factory=grpc.aio.insecure_channel,
            httpx_client=httpx.AsyncClient(timeout=20),
        )
        # Clients write what they learn into their card.
        return ClientFactory(config).create(agent_card.model_copy(deep=True))

    def agent_of(agent_card: AgentCard, binding: str, *hooks: PushNotificationConfig) -> Agent:
        unary, streaming = (client(agent_card, binding, list(hooks), streaming=each) for each in (False, True))
        return Agent(binding, agent_card, unary, streaming)

    for binding in ("JSONRPC", "HTTP+JSON", "GRPC"):
        agent = agent_of(served, binding)

        async def check(title, run, binding=binding) -> None:
            await report.check(f"python-0.3 {binding} {title}", run)

        async with agent.client, agent.streaming:
            for group in (messages, parts, streams, tasks, push, errors, card):
                await group.run(agent, check)
        agent = agent_of(hooked, binding)
        async with agent.client, agent.streaming:
            await webhooks.run(agent, partial(agent_of, hooked, binding), check)
    await signatures.run(base_url, lambda title, run: report.check(f"python-0.3 {title}", run))
    return report.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python main.py BASE_URL")
    sys.exit(asyncio.run(main(sys.argv[1])))
