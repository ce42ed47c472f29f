"""`sottovoce worker`."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from sottovoce.cli.numbers import DOOR, WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place
from sottovoce.domain.safe_text import one_line
from sottovoce.server.listen_address import ListenAddress
from sottovoce.server.worker import AT_ONCE, Worker

FAREWELL = 5.0
"""Seconds in which leases may be handed back; a log that does not answer must not keep a worker from ending."""


@click.command()
@click.option(
    "--at-once",
    metavar="N",
    type=WholeNumber(1, 10_000),
    default=AT_ONCE,
    show_default=True,
    help="Games to play at the same time.",
)
@click.option(
    "--metrics",
    "door",
    metavar="[HOST:]PORT",
    type=DOOR,
    help="Show Prometheus metrics at /metrics on this port. Only this computer can read them unless you give a HOST.",
)
@click.pass_obj
def worker(place: Place, at_once: int, door: ListenAddress | None) -> None:
    """Start a worker that plays agents' turns.

    Run as many as you like, on as many machines as you like: each claims turns that no other live worker holds. Ctrl-C
    or SIGTERM cancels running calls and releases their turns. Seats of people and outside programs are left to them.

    \b
    Example:  sottovoce --db postgresql://app@db.example/games worker
              sottovoce worker --metrics 9464
    """
    stop = _Stop()
    with stop.heard(), place.games(create=True) as games:
        games.require_writable()
        working = Worker(games, lambda line: say(f"sottovoce: {one_line(line)}", err=True), at_once)
        with _shown(working, door):
            say(f"Working as {games.worker}; Ctrl-C stops.", err=True)
            played = asyncio.run(_work(working, stop))
    say(f"Stopped. This worker finished {played} game{'' if played == 1 else 's'}.", err=True)


@contextmanager
def _shown(working: Worker, door: ListenAddress | None) -> Iterator[None]:
    """Show the worker's metrics, if they are to be shown, for the length of the block."""
    if door is None:
        yield
        return
    from sottovoce.server.http.metrics_endpoint import metrics_endpoint
    from sottovoce.server.pulse import Pulse

    pulse = Pulse(working.games, lambda: working.followed, lambda: working.under_way)
    with metrics_endpoint(door, pulse) as taken:
        say(f"Metrics: http://{taken}/metrics", err=True)
        yield


async def _work(working: Worker, stop: _Stop) -> int:
    await working.run(stop.event())
    return working.played


class _Stop:
    """Ctrl-C and SIGTERM, heard even while the loop waits for the log; `FAREWELL` later the process ends anyway."""

    def __init__(self) -> None:
        self._told = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None
        self._timer = threading.Timer(FAREWELL, _leave)
        self._timer.daemon = True

    def event(self) -> asyncio.Event:
        """Set once a signal came; for the running loop."""
        self._event, self._loop = asyncio.Event(), asyncio.get_running_loop()
        if self._told:
            self._event.set()
        return self._event

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear the signals for the length of the block."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, self._hear) for number in numbers]
        try:
            yield
        finally:
            self._timer.cancel()
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._told:
            return
        self._told = True
        self._timer.start()
        if self._loop is not None and self._event is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)


def _leave() -> None:
    say("sottovoce: the database does not answer. Turns claimed here are released automatically.", err=True)
    os._exit(1)
