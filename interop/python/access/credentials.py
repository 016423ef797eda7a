"""What callers hold, as the SDK adds it to their calls: it reads the card for where to put it."""

from base64 import b64encode

from a2a.client import ClientCallContext
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.interceptors import AfterArgs, BeforeArgs, ClientCallInterceptor

WAYS = ["mtls", "apiKey", "basic", "jwt", "oidc", "introspection"]


class Held(CredentialService):
    """Credentials by the names that the card gives to the ways of letting callers in."""

    def __init__(self, held: dict) -> None:
        self._held = held

    async def get_credentials(self, security_scheme_name: str, context: ClientCallContext | None) -> str | None:
        return self._held.get(security_scheme_name)


class BasicInterceptor(ClientCallInterceptor):
    """The SDK's own interceptor has nothing for HTTP Basic."""

    def __init__(self, user: str) -> None:
        self._credentials = b64encode(user.encode()).decode()

    async def before(self, args: BeforeArgs) -> None:
        schemes = args.agent_card.security_schemes
        assert schemes["basic"].http_auth_security_scheme.scheme == "Basic"
        args.context = args.context or ClientCallContext()
        parameters = args.context.service_parameters or {}
        args.context.service_parameters = {**parameters, "Authorization": f"Basic {self._credentials}"}

    async def after(self, args: AfterArgs) -> None:
        pass


def interceptors_for(held: dict) -> list[ClientCallInterceptor]:
    if "basic" in held:
        return [BasicInterceptor(held["basic"])]
    # The connection has shown the certificate.
    return [AuthInterceptor(Held({name: value for name, value in held.items() if name != "mtls"}))]
