"""Clients over TLS that trust one authority alone, with a certificate of their own where they hold one."""

import ssl
from pathlib import Path

import grpc
import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import AgentCard

from access.credentials import MetadataPlugin, headers_for, interceptors_for, is_intercepted
from agent import Agent


class Connecting:
    def __init__(self, ca: str) -> None:
        self._ca = ca

    def http(self, held: dict, headers: dict[str, str]) -> httpx.AsyncClient:
        context = ssl.create_default_context(cafile=self._ca)
        if "mtls" in held:
            context.load_cert_chain(held["mtls"]["cert"], held["mtls"]["key"])
        return httpx.AsyncClient(verify=context, headers=headers, timeout=10)

    def channel(self, held: dict, headers: dict[str, str], url: str) -> grpc.aio.Channel:
        pair = held.get("mtls")
        files = [self._ca, pair["key"], pair["cert"]] if pair else [self._ca]
        credentials = grpc.ssl_channel_credentials(*(Path(file).read_bytes() for file in files))
        if headers:
            each_call = grpc.metadata_call_credentials(MetadataPlugin(headers))
            credentials = grpc.composite_channel_credentials(credentials, each_call)
        return grpc.aio.secure_channel(url, credentials)

    def agent(self, card: AgentCard, binding: str, held: dict) -> Agent:
        return Agent(binding, card, *(self._client(card, binding, held, streaming=each) for each in (False, True)))

    def _client(self, card: AgentCard, binding: str, held: dict, *, streaming: bool) -> Client:
        headers = {} if is_intercepted(binding, held) else headers_for(card, held)
        config = ClientConfig(
            streaming=streaming,
            supported_transports=[binding],
            grpc_channel_factory=lambda url: self.channel(held, headers, url),
            httpx_client=self.http(held, headers),
        )
        # Clients write what they learn into their card.
        copy = card.model_copy(deep=True)
        return ClientFactory(config).create(copy, interceptors=interceptors_for(binding, held))
