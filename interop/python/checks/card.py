from a2a.types import GetExtendedAgentCardRequest


async def run(agent, check) -> None:
    async def extended() -> None:
        card = await agent.client.get_extended_agent_card(GetExtendedAgentCardRequest())
        assert card.name == "Interop", card
        assert card.description == "Seen by those who ask for more", card
        assert len(card.supported_interfaces) >= 3, card

    await check("GetExtendedAgentCard answers the extended card", extended)
