import httpx
from a2a.client import A2ACardResolver
from a2a.utils.signing import create_signature_verifier
from jwt.api_jwk import PyJWK

ALGORITHMS = ["ES256", "RS256", "EdDSA"]


async def run(base_url: str, check) -> None:
    """The card that a client gets that names no version, against the keys that the gateway shows."""

    async def served() -> None:
        async with httpx.AsyncClient() as http:
            keys = (await http.get(f"{base_url}/.well-known/jwks.json")).json()["keys"]
            by_name = {key["kid"]: PyJWK.from_dict(key) for key in keys}
            verify = create_signature_verifier(lambda kid, jku: by_name[kid], ALGORITHMS)
            card = await A2ACardResolver(http, base_url).get_agent_card(signature_verifier=verify)
            assert card.name, card

    await check("the served card's signature is verified", served)
