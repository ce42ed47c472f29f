"""Notices everything that is appended to a log, in its own thread, and reports it in an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event, Thread

from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.log import EventLog

POLL = 0.01
"""Seconds between looks at the log's version."""

SLOW_POLL = 1.0
"""Seconds between looks at the news themselves, whatever the version says; and between tries to reach a log."""

News = Callable[[Mapping[str, int], Sequence[bytes]], None]
"""Gets how long each game is that was appended to, and the digests of links that ended."""

EndedSince = Callable[[int | None], tuple[int, Sequence[bytes]]]
"""The revision of the links, and the digests of those that ended after an earlier one."""


class Follower:
    """Follows a log from the moment that it is started.

    In the loop that `start` is called in, `begun` is called once nothing that is appended from then on will be passed
    over, and `news` whenever there are some. A log that cannot be read is `report`ed once and tried again.
    """

    def __init__(
        self,
        log: EventLog,
        ended_since: EndedSince,
        begun: Callable[[], None],
        news: News,
        report: Callable[[str], None],
    ) -> None:
        self._log = log
        self._ended_since = ended_since
        self._begun = begun
        self._news = news
        self._report = report
        self._stopped = Event()
        self.newest = 0
        """The last event that it has looked at; None before the first look."""
        self.looked: float | None = None
        """When it last looked, by `time.monotonic`; None before the first look."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = Thread(target=self._run, name="sottovoce-follow", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self, seconds: float) -> None:
        """End the thread, waiting so long at most: a log that does not answer holds it up."""
        self._stopped.set()
        await asyncio.to_thread(self._thread.join, seconds)

    def _run(self) -> None:
        newest = revision = version = None
        looked, lost = 0.0, ""
        while not self._stopped.is_set():
            try:
                latest = self._log.version()
                if newest is None or revision is None:
                    self.newest = newest = self._log.newest()
                    self.looked = time.monotonic()
                    revision, _ = self._ended_since(None)
                    self._tell(self._begun)
                elif latest != version or time.monotonic() - looked > SLOW_POLL:
                    found = self._log.news(newest)
                    revision, ended = self._ended_since(revision)
                    self.newest = newest = found.newest
                    self.looked = looked = time.monotonic()
                    if found.lengths or ended:
                        self._tell(self._news, found.lengths, ended)
                version = latest
                if lost:
                    lost = ""
                    self._report("the database can be followed again")
            except Exception as error:  # whatever it is: without this thread streams would fall silent
                why = str(error) if isinstance(error, LogError) else f"{type(error).__name__}: {error}"
                if why != lost:
                    lost = why
                    self._report(f"the database cannot be followed: {why}")
                self._stopped.wait(SLOW_POLL)
            self._stopped.wait(POLL)

    def _tell(self, hearer: Callable[..., None], *what: object) -> None:
        with suppress(RuntimeError):  # the loop was closed without a word
            assert self._loop is not None
            self._loop.call_soon_threadsafe(hearer, *what)
