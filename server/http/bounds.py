"""How much one link may do: replies in a minute, streams and half-sent requests at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from sottovoce.server.http.addresses import is_among, place
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import Link, LinkKind

_KEPT = 10_000
"""Links remembered before those that may do everything again are forgotten."""


class Allowance:
    """So many a minute for each key, all of them at once if they were not used before."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._apart = 60.0 / per_minute
        self._clock = clock
        self._most = _KEPT
        self._spent: dict[bytes, float] = {}  # when the key will have its whole allowance again

    def wait(self, key: bytes) -> float:
        """Take one; 0.0 if there was one, else the seconds until there is."""
        now = self._clock()
        if len(self._spent) > self._most:
            self._spent = {key: until for key, until in self._spent.items() if until > now}
            self._most = max(_KEPT, 2 * len(self._spent))
        until = max(self._spent.get(key, now), now) + self._apart
        if until > now + 60.0 + 1e-6:
            return until - now - 60.0
        self._spent[key] = until
        return 0.0


class AtOnce:
    """What is open, so many at once for each key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[bytes] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def enter(self, key: bytes) -> bool:
        """Count one more, if it may be."""
        if self._open[key] >= self._most:
            return False
        self._open[key] += 1
        return True

    def leave(self, key: bytes) -> None:
        """Count one that was let in out again."""
        self._open[key] -= 1
        if self._open[key] <= 0:
            del self._open[key]


class Streams:
    """Streams and waiting calls that are open: so many for each link.

    All spectators of a game have one link, which anybody may hand on: theirs are bounded by address, and in all.
    """

    def __init__(self, settings: Settings) -> None:
        self._bounds = settings.bounds
        self._proxies = settings.trusted
        self._of_links = AtOnce(settings.bounds.streams_per_token)
        self._of_addresses = AtOnce(settings.bounds.spectator_streams_per_address)
        self._of_spectators = AtOnce(settings.bounds.spectator_streams)

    def __len__(self) -> int:
        return len(self._of_links) + len(self._of_spectators)

    def enter(self, link: Link, address: str) -> Callable[[], None]:
        """Count one more for who asks by that link from that address; what counts it out again. Raises Problem."""
        if link.kind is LinkKind.SPECTATOR:
            return self._watching(address)
        if not self._of_links.enter(link.digest):
            most = self._bounds.streams_per_token
            raise _too_many(f"This link already has {most} open streams and calls. Close one, or wait for one to end.")
        return partial(self._of_links.leave, link.digest)

    def _watching(self, address: str) -> Callable[[], None]:
        """A trusted proxy that does not name its client stands for many people and has no limit."""
        where = b"" if is_among(address, self._proxies) else place(address).encode()
        if where and not self._of_addresses.enter(where):
            most = self._bounds.spectator_streams_per_address
            raise _too_many(f"{most} spectators already watch from your address. Close one of their streams.")
        if not self._of_spectators.enter(b""):
            if where:
                self._of_addresses.leave(where)
            raise _too_many("Too many spectators are watching on this server. Try again in a moment.")

        def leave() -> None:
            self._of_spectators.leave(b"")
            if where:
                self._of_addresses.leave(where)

        return leave


def _too_many(why: str) -> Problem:
    return Problem("too-many", why, {"retry-after": "5"})


class Bodies:
    """Reads the bodies of requests before anything else is done for them, so many at once for each link."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._coming = AtOnce(most)

    async def whole(self, key: bytes, receive: Receive) -> Receive:
        """Wait for the rest of a request; then it is given again, at once.

        Raises Problem while too many requests of the link are half-sent, and ClientDisconnect where the client leaves
        or is cut off before the end.
        """
        if not self._coming.enter(key):
            why = f"{self._most} requests of this link are incomplete. Send them completely."
            raise Problem("too-many", why, {"retry-after": "5", "connection": "close"})
        try:
            parts = [part async for part in _parts(receive)]
        finally:
            self._coming.leave(key)
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": b"".join(parts), "more_body": False}

        return again


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    while (message := await receive())["type"] == "http.request":
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return
    raise ClientDisconnect
