"""What a server or a worker counts, as Prometheus reads it.

How many requests came, when, and to which address tells what seats do, and so do appends and turns. So they are for the
host only, and for those who can reach a worker's own door. Everybody else learns that the server is there and which
version it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from eventlog.durations import BOUNDS, Durations
from server.pulse import Look, Pulse

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


class Metrics:
    """The counts of one server. Labels are route templates, methods and statuses: nothing of any one game."""

    def __init__(self) -> None:
        self._public = CollectorRegistry(auto_describe=False)
        self._host = CollectorRegistry(auto_describe=False)
        self._log: LogCounts | None = None
        show_version(self._public)
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

    def watch(self, pulse: Pulse) -> None:
        """Show the host how the log is doing."""
        self._log = LogCounts(pulse)
        self._host.register(self._log)

    def text(self, *, host: bool, look: Look | None = None) -> bytes:
        """The page: all of it for the host, for others what does not depend on anybody's doings.

        `look` is what the log holds now, None if it cannot be asked.
        """
        if self._log is not None:
            self._log.latest = look
        return generate_latest(self._public) + (generate_latest(self._host) if host else b"")


class LogCounts(Collector):
    """What a process does with its log, and the `latest` look at what others may have left undone."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self.latest: Look | None = None

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        games, look = self._pulse.games, self.latest
        appends = CounterMetricFamily(
            "sottovoce_appends", "Writes that this process gave to the log, by how they ended.", labels=["outcome"]
        )
        for outcome, name in _OUTCOMES.items():
            appends.add_metric([name], games.commits.outcomes[outcome])
        yield appends
        yield CounterMetricFamily("sottovoce_events_appended", "Events that this process appended.", games.appended)
        yield _histogram(
            "sottovoce_commit_seconds", "How long commits took, waiting for others included.", games.commits.seconds
        )
        yield _histogram("sottovoce_lock_wait_seconds", "How long writes waited for other writers.", games.log.waits)
        yield GaugeMetricFamily("sottovoce_games_playing", "Games that this process is playing.", self._pulse.playing())
        yield GaugeMetricFamily("sottovoce_log_up", "1 if the log answers, else 0.", int(look is not None))
        if look is not None:
            yield from _of_turns(look)


def _of_turns(look: Look) -> Iterator[Metric]:
    for name, meaning, value in (
        ("turns_open", "Open turns of all games.", look.turns.open),
        ("turns_overdue", "Open turns whose limit has passed; it is 0 most of the time.", look.turns.overdue),
        ("leases", "Open turns that somebody has leased.", look.turns.leased),
        ("leases_lapsed", "Leases that have ended and that nobody has taken over.", look.turns.lapsed),
        ("follower_lag_events", "Events that this process has not noticed yet.", look.behind),
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


def show_version(registry: CollectorRegistry) -> None:
    """Put into a registry which version this is."""
    info = Gauge("sottovoce_info", "1, with the version.", ["version"], registry=registry)
    info.labels(version("sottovoce")).set(1)
