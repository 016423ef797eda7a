"""What the SDK makes of it that somebody is not let in, or may not do something: it keeps the cause."""

from collections.abc import Awaitable
from typing import NamedTuple

import grpc
import httpx
from a2a.client.errors import A2AClientError


class Refusal(NamedTuple):
    http: int
    grpc: grpc.StatusCode


UNAUTHENTICATED = Refusal(401, grpc.StatusCode.UNAUTHENTICATED)
FORBIDDEN = Refusal(403, grpc.StatusCode.PERMISSION_DENIED)


async def refused(call: Awaitable, binding: str, expected: Refusal, reason: str) -> None:
    """Passes for an error of that kind. The reason is where the SDK keeps it: in the status of gRPC, or the challenge."""
    try:
        result = await call
    except A2AClientError as error:
        cause = error.__cause__
        if binding == "GRPC":
            assert isinstance(cause, grpc.aio.AioRpcError), repr(cause)
            assert cause.code() == expected.grpc, repr(cause)
            assert reason in cause.details(), repr(cause)
        else:
            assert isinstance(cause, httpx.HTTPStatusError), repr(cause)
            assert cause.response.status_code == expected.http, repr(cause)
            if "bearer" in reason:
                assert f'error_description="{reason}' in cause.response.headers["WWW-Authenticate"], cause.response.headers
    else:
        raise AssertionError(f"no error but {result!r}")
