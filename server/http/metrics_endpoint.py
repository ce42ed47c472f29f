"""The address at which the person who runs a server or a worker reads its metrics: `/metrics` and nothing else.

The numbers of appends and open turns show who has something to do at night. So they have their own address, which is on
this machine by default and never the address that links lead to.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.registry import Collector

from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog.durations import BOUNDS, Durations
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.listen_address import ListenAddress
from sottovoce.server.pulse import Look, Pulse

PATIENCE = 10.0
"""Seconds for which the door waits for a request to arrive."""


class NoListener(SottovoceError):
    """The metrics cannot be shown there."""


class LogCounts(Collector):
    """What a process does with its log, and what others may have left undone."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now. The log is asked, and may have to be waited for."""
        games, look = self._pulse.games, self._pulse.look()
        appends = CounterMetricFamily("sottovoce_appends", "Writes of this process, by result.", labels=["outcome"])
        for outcome, name in _OUTCOMES.items():
            appends.add_metric([name], games.commits.outcomes[outcome])
        yield appends
        yield CounterMetricFamily("sottovoce_events_appended", "Events appended by this process.", games.appended)
        yield _histogram(
            "sottovoce_commit_seconds", "Duration of commits, including the wait for others.", games.commits.seconds
        )
        yield _histogram("sottovoce_lock_wait_seconds", "Time that writes waited for other writers.", games.log.waits)
        yield GaugeMetricFamily("sottovoce_games_playing", "Games that this process is playing.", self._pulse.playing())
        yield GaugeMetricFamily("sottovoce_log_up", "1 if the database answers, else 0.", int(look is not None))
        if look is not None:
            yield from _of_turns(look)


def _of_turns(look: Look) -> Iterator[Metric]:
    for name, meaning, value in (
        ("turns_open", "Open turns of all games.", look.turns.open),
        ("turns_overdue", "Open turns whose time limit has passed; usually 0.", look.turns.overdue),
        ("leases", "Open turns that a worker or program has claimed.", look.turns.leased),
        ("leases_lapsed", "Expired leases that no one has taken over.", look.turns.lapsed),
        ("follower_lag_events", "Events that this process has not read yet.", look.behind),
        ("follower_look_age_seconds", "Seconds since this process last looked for events.", look.since),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"sottovoce_{name}", meaning, value)


_OUTCOMES = {
    "Appended": "appended",
    "Conflict": "conflict",
    "LeaseLost": "lease_lost",
    "Failed": "refused",
    "Error": "error",
}


def _histogram(name: str, meaning: str, seconds: Durations) -> Metric:
    bounds = [*map(str, BOUNDS), "+Inf"]
    buckets = list(zip(bounds, map(float, accumulate(seconds.counts)), strict=True))
    return HistogramMetricFamily(name, meaning, buckets, seconds.total)


@contextmanager
def metrics_endpoint(door: ListenAddress, pulse: Pulse, metrics: Metrics | None = None) -> Iterator[ListenAddress]:
    """Show how the log is doing, and a server's own metrics if given, for the length of the block.

    Gives the address. Raises NoListener.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register((metrics or Metrics()).registry)
    registry.register(LogCounts(pulse))
    try:
        app = _only_metrics(make_wsgi_app(registry))
        server = make_server(door.host, door.port, app, _server_for(door.host), _Handler)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NoListener(f"Cannot show metrics at {door}: {why}. Choose another --metrics.") from None
    thread = Thread(target=server.serve_forever, name="sottovoce-metrics", daemon=True)
    thread.start()
    try:
        yield door._replace(port=server.server_address[1])
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
        """Say nothing of those who look."""


class _Server(ThreadingWSGIServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a caller that goes away early."""


def _server_for(host: str) -> type[_Server]:
    """The server for a host's kind of address. OSError where it has none."""
    ((family, *_), *_) = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return type("_Server", (_Server,), {"address_family": family})
