"""What a server counts, as Prometheus reads it.

How many requests came, when, and to which address tells what seats do, and so it is for the host alone. Everybody else
learns that the server is there and which version it is.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


class Metrics:
    """The counts of one server. Labels are route templates, methods and statuses: nothing of any one game."""

    def __init__(self) -> None:
        self._public = CollectorRegistry(auto_describe=False)
        self._host = CollectorRegistry(auto_describe=False)
        Gauge("sottovoce_info", "1, with the version.", ["version"], registry=self._public).labels(
            version("sottovoce")
        ).set(1)
        labels = ["method", "route"]
        self._requests = Counter(
            "sottovoce_requests", "Answered requests; streams once they end.", [*labels, "status"], registry=self._host
        )
        self._seconds = Histogram(
            "sottovoce_request_seconds",
            "From a request's head to the end of its answer; streams excepted.",
            labels,
            buckets=_BUCKETS,
            registry=self._host,
        )
        self._refused = Counter(
            "sottovoce_refused", "Refused before they reached a route, by the bound.", ["bound"], registry=self._host
        )

    def gauge(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Show the host a number as it is when it is asked for."""
        Gauge(f"sottovoce_{name}", meaning, registry=self._host).set_function(value)

    def counter(self, name: str, meaning: str) -> Callable[[], None]:
        """Have the host shown how often what this returns was called."""
        return Counter(f"sottovoce_{name}", meaning, registry=self._host).inc

    def answered(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count an answer, and how long it took unless it was a stream."""
        self._requests.labels(method, route, status).inc()
        if seconds is not None:
            self._seconds.labels(method, route).observe(seconds)

    def refused(self, bound: str) -> None:
        """Count a refusal by its problem's slug."""
        self._refused.labels(bound).inc()

    @property
    def registry(self) -> Collector:
        """Return all metrics, for the person who runs the server."""
        whole = CollectorRegistry(auto_describe=False)
        whole.register(self._public)
        whole.register(self._host)
        return whole

    def text(self, *, host: bool) -> bytes:
        """The page: all of it for the host, for others what does not depend on anybody's doings."""
        return generate_latest(self._public) + (generate_latest(self._host) if host else b"")
