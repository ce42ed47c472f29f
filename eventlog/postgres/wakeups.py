"""A number that changes with every commit: counted from announcements, with a slow poll for missed ones."""

from __future__ import annotations

import socket
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from threading import Condition, Event, Lock, Thread

import psycopg

from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.postgres.batch import CHANNEL
from sottovoce.eventlog.postgres.flush import settle
from sottovoce.eventlog.postgres.sessions import Address, Connection, Session

SLOW_POLL = 2.0
"""Seconds between checks of the flushed number, the links, and whether the connection is alive."""

_ENDINGS = "SELECT coalesce(max(ending), 0) FROM links"
_FIRST_WAIT = 5.0
_LONGEST_PAUSE = 1.0


class Wakeups:
    """Listens on a separate connection and thread, from the first question on, to all sessions except its `own`.

    This process's own commits are counted only by `saw`, when they are acknowledged. A replaced connection counts as a
    change, because announcements may have been missed. Nothing counts before it is flushed.
    """

    def __init__(self, address: Address, *own: Session) -> None:
        self._address = address
        self._own = own
        self._number = 0
        self._highest = 0
        self._endings = 0
        self._lock = Lock()
        self._told = Condition(self._lock)
        self._closed = Event()
        self._ready = Event()
        self._thread: Thread | None = None
        self._waker, self._woken = socket.socketpair()

    def number(self) -> int:
        """Return the current number."""
        if self._thread is None and not self._closed.is_set():
            with self._lock:
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="sottovoce-listen", daemon=True)
                    self._thread.start()
            self._ready.wait(_FIRST_WAIT)
        return self._number

    def saw(self, mark: int | None = None) -> None:
        """Count a change. Everything up to that mark is flushed and will not be counted again."""
        with self._told:
            self._number += 1
            self._highest = max(self._highest, mark or 0)
            self._told.notify_all()

    def wait(self, mark: int, seconds: float) -> None:
        """Return once that mark is known to be flushed, or after a timeout, because announcements may not arrive."""
        with self._told:
            self._told.wait_for(lambda: self._highest >= mark, seconds)

    def close(self) -> None:
        """End the thread. Idempotent."""
        self._closed.set()
        self._waker.close()
        if self._thread is not None:
            self._thread.join()
        self._woken.close()

    def _run(self) -> None:
        pause = 0.05
        while not self._closed.is_set():
            with suppress(psycopg.Error, LogError, OSError), self._address.connect() as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                self._highest = 0  # it may be another server that is further behind
                self._look(connection)
                self.saw()
                self._ready.set()
                pause = 0.05
                self._listen(connection)
            self._closed.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _listen(self, connection: Connection) -> None:
        with DefaultSelector() as selector:
            selector.register(connection.fileno(), EVENT_READ)
            selector.register(self._woken, EVENT_READ)
            while not self._closed.is_set():
                if not selector.select(SLOW_POLL):
                    self._look(connection)
                self._take(connection)

    def _take(self, connection: Connection) -> None:
        for notice in connection.notifies(timeout=0):
            mark = int(notice.payload or 0)
            if notice.pid not in [session.pid for session in self._own] and not 0 < mark <= self._highest:
                self.saw(mark)

    def _look(self, connection: Connection) -> None:
        row = connection.execute(_ENDINGS).fetchone()
        upto = settle(connection)
        if row is not None and (upto > self._highest or row[0] > self._endings):
            self._endings = row[0]
            self.saw(upto)
