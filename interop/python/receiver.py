"""A receiver of webhooks on a port of its own: keeps what comes by path, and fails where it is told to."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message as Headers
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Delivery:
    headers: Headers
    body: bytes


@dataclass
class Hook:
    url: str
    # So many requests at first are answered with 503.
    failures: int
    received: list[Delivery] = field(default_factory=list)

    async def told(self, is_enough: Callable[[list[Delivery]], bool]) -> list[Delivery]:
        """What came, once it is enough; the time of a check is the limit."""
        while not is_enough(self.received):
            await asyncio.sleep(0.02)
        return self.received


class Receiver:
    def __init__(self) -> None:
        hooks: dict[str, Hook] = {}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                hook = hooks[self.path]
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.failures -= 1
                self.send_response(503 if hook.failures >= 0 else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()
                hook.received.append(Delivery(self.headers, body))

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._hooks = hooks
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, daemon=True).start()

    def open(self, failures: int = 0) -> Hook:
        path = f"/hook-{len(self._hooks) + 1}"
        hook = Hook(f"http://127.0.0.1:{self._server.server_port}{path}", failures)
        self._hooks[path] = hook
        return hook

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
