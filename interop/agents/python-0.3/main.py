"""An agent on the server of a2a-sdk 0.3: 0.3 on all three bindings. Prints its address once it serves."""

import asyncio
import socket

import grpc
import uvicorn
from a2a.grpc import a2a_pb2_grpc
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TransportProtocol

from executor import Executor


def card_of(address: str, grpc_port: int) -> AgentCard:
    return AgentCard(
        name="Remote",
        description="Answers each text in its own way",
        version="1.0.0",
        url=f"{address}/rpc",
        preferred_transport=TransportProtocol.jsonrpc,
        additional_interfaces=[
            AgentInterface(url=f"{address}/rpc", transport=TransportProtocol.jsonrpc),
            AgentInterface(url=f"{address}/rest", transport=TransportProtocol.http_json),
            AgentInterface(url=f"127.0.0.1:{grpc_port}", transport=TransportProtocol.grpc),
        ],
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
    handler = DefaultRequestHandler(Executor(), InMemoryTaskStore())
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), grpc_server)
    await grpc_server.start()
    app = A2AStarletteApplication(card, handler).build(rpc_url="/rpc")
    app.mount("/rest", A2ARESTFastAPIApplication(card, handler).build())
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    print(f"ready {address}", flush=True)
    await server.serve(sockets=[listener])


asyncio.run(main())
