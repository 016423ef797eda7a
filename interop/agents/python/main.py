"""An agent on the server of a2a-sdk 1.3: both versions on all three bindings. Prints its address once it serves."""

import asyncio
import socket

import grpc
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, a2a_pb2_grpc
from starlette.applications import Starlette

from executor import Executor


def card_of(address: str, grpc_port: int) -> AgentCard:
    interfaces = [
        AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
        for version in ("1.0", "0.3")
        for binding, url in (
            ("JSONRPC", f"{address}/rpc"),
            ("HTTP+JSON", f"{address}/rest"),
            ("GRPC", f"127.0.0.1:{grpc_port}"),
        )
    ]
    return AgentCard(
        name="Remote",
        description="Answers each text in its own way",
        version="1.0.0",
        supported_interfaces=interfaces,
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="answers", name="Answers", description="One answer for each text", tags=["test"])],
    )


async def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    grpc_server = grpc.aio.server()
    card = card_of(address, grpc_server.add_insecure_port("127.0.0.1:0"))
    handler = DefaultRequestHandler(Executor(), InMemoryTaskStore(), card)
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), grpc_server)
    await grpc_server.start()
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True),
        *create_rest_routes(handler, enable_v0_3_compat=True, path_prefix="/rest"),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="warning"))
    print(f"ready {address}", flush=True)
    await server.serve(sockets=[listener])


asyncio.run(main())
