"""What callers hold, as it is added to their calls: the card says where to put it."""

from base64 import b64encode

import grpc
from a2a.client import ClientCallContext
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.middleware import ClientCallInterceptor
from a2a.types import AgentCard, APIKeySecurityScheme, HTTPAuthSecurityScheme, MutualTLSSecurityScheme, OpenIdConnectSecurityScheme

WAYS = ["mtls", "apiKey", "basic", "jwt", "oidc", "introspection"]


class Held(CredentialService):
    """Credentials by the names that the card gives to the ways of letting callers in."""

    def __init__(self, held: dict) -> None:
        self._held = held

    async def get_credentials(self, security_scheme_name: str, context: ClientCallContext | None) -> str | None:
        return self._held.get(security_scheme_name)


def interceptors_for(binding: str, held: dict) -> list[ClientCallInterceptor]:
    """The SDK's own, over JSON-RPC alone and not for HTTP Basic: elsewhere it asks no interceptor."""
    if not is_intercepted(binding, held):
        return []
    return [AuthInterceptor(Held({name: value for name, value in held.items() if name != "mtls"}))]


def is_intercepted(binding: str, held: dict) -> bool:
    return binding == "JSONRPC" and "basic" not in held


def headers_for(card: AgentCard, held: dict) -> dict[str, str]:
    """The headers, or the metadata, for what the first of the card's requirements asks for that is held."""
    for requirement in card.security or []:
        if all(name in held for name in requirement):
            pairs = [header_of(card.security_schemes[name].root, held[name]) for name in requirement]
            return dict(pair for pair in pairs if pair is not None)
    return {}


def header_of(scheme, credential) -> tuple[str, str] | None:
    match scheme:
        case APIKeySecurityScheme():
            assert scheme.in_ == "header", scheme
            return scheme.name, credential
        case HTTPAuthSecurityScheme(scheme="Basic"):
            return "Authorization", f"Basic {b64encode(credential.encode()).decode()}"
        case HTTPAuthSecurityScheme() | OpenIdConnectSecurityScheme():
            return "Authorization", f"Bearer {credential}"
        case MutualTLSSecurityScheme():
            # The connection has shown it.
            return None
    raise AssertionError(f"no such scheme: {scheme!r}")


class MetadataPlugin(grpc.AuthMetadataPlugin):
    """Adds headers to every call of a channel that is encrypted."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._metadata = tuple((name.lower(), value) for name, value in headers.items())

    def __call__(self, context: grpc.AuthMetadataContext, callback: grpc.AuthMetadataPluginCallback) -> None:
        callback(self._metadata, None)
