async def run(agent, check) -> None:
    async def addresses() -> None:
        card = agent.card
        assert card.protocol_version.startswith("0.3"), card
        interfaces = {(interface.transport, interface.url) for interface in card.additional_interfaces}
        assert (card.preferred_transport, card.url) in interfaces, card
        assert agent.binding in {transport for transport, _ in interfaces}, card
        assert card.skills[0].id == "answers", card

    async def extended() -> None:
        card = await agent.client.get_card()
        assert card.name == "Interop" and card.capabilities.streaming, card
        assert card.description == "Seen by those who ask for more", card

    await check("the card names a 0.3 address for every binding", addresses)
    await check("GetExtendedAgentCard answers the extended card", extended)
