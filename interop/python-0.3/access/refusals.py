"""What the SDK makes of it that somebody is not let in, or may not do something: the status, on gRPC with its reason."""

from collections.abc import Awaitable
from typing import NamedTuple

import grpc
from a2a.client.errors import A2AClientHTTPError


class Refusal(NamedTuple):
    http: int
    grpc: grpc.StatusCode


UNAUTHENTICATED = Refusal(401, grpc.StatusCode.UNAUTHENTICATED)
FORBIDDEN = Refusal(403, grpc.StatusCode.PERMISSION_DENIED)


async def kept_out(call: Awaitable, binding: str, expected: Refusal, reason: str) -> None:
    try:
        result = await call
    except grpc.aio.AioRpcError as error:
        assert (binding, error.code()) == ("GRPC", expected.grpc), repr(error)
        assert reason in error.details(), repr(error)
    except A2AClientHTTPError as error:
        assert binding != "GRPC" and error.status_code == expected.http, repr(error)
    else:
        raise AssertionError(f"no error but {result!r}")
