"""Clients over TLS that trust one authority alone, with a certificate of their own where they hold one."""

import ssl
from pathlib import Path

import grpc
import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.client.interceptors import ClientCallInterceptor
from a2a.types import AgentCard

from access.credentials import interceptors_for
from agent import Agent


class Connecting:
    def __init__(self, ca: str, version: str) -> None:
        self._ca = ca
        self._version = version

    def http(self, held: dict) -> httpx.AsyncClient:
        context = ssl.create_default_context(cafile=self._ca)
        if "mtls" in held:
            context.load_cert_chain(held["mtls"]["cert"], held["mtls"]["key"])
        return httpx.AsyncClient(verify=context, timeout=10)

    def channel(self, held: dict, url: str) -> grpc.aio.Channel:
        pair = held.get("mtls")
        files = [self._ca, pair["key"], pair["cert"]] if pair else [self._ca]
        credentials = grpc.ssl_channel_credentials(*(Path(file).read_bytes() for file in files))
        return grpc.aio.secure_channel(url, credentials)

    def agent(self, card: AgentCard, binding: str, held: dict) -> Agent:
        interceptors = interceptors_for(held)
        clients = (self._client(card, binding, held, interceptors, streaming=each) for each in (False, True))
        return Agent(*clients, binding, self._version)

    def _client(
        self, card: AgentCard, binding: str, held: dict, interceptors: list[ClientCallInterceptor], *, streaming: bool
    ) -> Client:
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[binding],
            grpc_channel_factory=lambda url: self.channel(held, url),
            httpx_client=self.http(held),
        )
        return ClientFactory(config).create(card, interceptors)
