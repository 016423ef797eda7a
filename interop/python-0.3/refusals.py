"""What the SDK makes of an error: its code on JSON-RPC, no more than the status on HTTP+JSON and gRPC."""

from collections.abc import Awaitable
from typing import NamedTuple

import grpc
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError

Status = grpc.StatusCode


class Refusal(NamedTuple):
    jsonrpc: int
    http: int
    grpc: grpc.StatusCode


TASK_NOT_FOUND = Refusal(-32001, 404, Status.NOT_FOUND)
TASK_NOT_CANCELABLE = Refusal(-32002, 409, Status.FAILED_PRECONDITION)
PUSH_NOT_SUPPORTED = Refusal(-32003, 400, Status.UNIMPLEMENTED)
UNSUPPORTED_OPERATION = Refusal(-32004, 400, Status.UNIMPLEMENTED)
CONTENT_TYPE_NOT_SUPPORTED = Refusal(-32005, 415, Status.INVALID_ARGUMENT)
INVALID_PARAMS = Refusal(-32602, 400, Status.INVALID_ARGUMENT)


async def refused(call: Awaitable, binding: str, expected: Refusal) -> None:
    try:
        result = await call
    except A2AClientJSONRPCError as error:
        assert (binding, error.error.code) == ("JSONRPC", expected.jsonrpc), repr(error)
    except A2AClientHTTPError as error:
        assert (binding, error.status_code) == ("HTTP+JSON", expected.http), repr(error)
    except grpc.aio.AioRpcError as error:
        assert (binding, error.code()) == ("GRPC", expected.grpc), repr(error)
    else:
        raise AssertionError(f"no error but {result!r}")


async def unsubscribed(call: Awaitable, binding: str, expected: Refusal) -> None:
    """As refused, for resubscribing: on HTTP+JSON this SDK does not look at the status, but misses the event stream."""
    instead = expected._replace(http=400)
    await refused(call, binding, instead)
