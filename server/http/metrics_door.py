"""A worker's own door for Prometheus: `/metrics` and nothing else, on an address of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry, Metric, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from domain.errors import SottovoceError
from server.http.metrics import LogCounts, show_version
from server.pulse import Pulse

PATIENCE = 10.0
"""Seconds for which the door waits for a request to arrive."""


class NoDoor(SottovoceError):
    """The metrics cannot be shown there."""


class LookingCounts(LogCounts):
    """The same as `LogCounts`, with a look at the log each time: whoever asks waits in a thread of their own."""

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        self.latest = self._pulse.look()
        return super().collect()


@contextmanager
def metrics_door(pulse: Pulse, host: str, port: int) -> Iterator[int]:
    """Show the metrics for the length of the block; the port. Raises NoDoor."""
    registry = CollectorRegistry(auto_describe=False)
    show_version(registry)
    registry.register(LookingCounts(pulse))
    try:
        server = make_server(host, port, _only_metrics(make_wsgi_app(registry)), _server_for(host), _Handler)
    except (OSError, OverflowError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NoDoor(f"Cannot show metrics at {host} port {port}: {why}; give another --metrics.") from None
    thread = Thread(target=server.serve_forever, name="sottovoce-metrics", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _only_metrics(app: WSGIApplication) -> WSGIApplication:
    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            return app(environ, start)
        start("404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"There is nothing here but /metrics.\n"]

    return answer


class _Handler(WSGIRequestHandler):
    timeout = PATIENCE

    def log_message(self, format: str, *args: Any) -> None:
        """A worker says nothing of those who look at it."""


class _Server(ThreadingWSGIServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that goes away early is no matter for anybody."""


def _server_for(host: str) -> type[_Server]:
    """The server for a host's kind of address. OSError where it has none."""
    ((family, *_), *_) = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return type("_Server", (_Server,), {"address_family": family})
