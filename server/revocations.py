"""Which links have ended, for those who are being told something by one at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from weakref import WeakValueDictionary

REMEMBERED = 10_000
"""Revocations that are remembered, for who asks a moment too late."""


class Revocations:
    """An event for each link that somebody asks about, by the digest of its token; kept for as long as they keep it."""

    def __init__(self) -> None:
        self._asked: WeakValueDictionary[bytes, asyncio.Event] = WeakValueDictionary()
        self._ended: dict[bytes, None] = {}

    def of(self, digest: bytes) -> asyncio.Event:
        """Set once the link has ended."""
        event = self._asked.get(digest)
        if event is None:
            event = self._asked[digest] = asyncio.Event()
            if digest in self._ended:
                event.set()
        return event

    def note(self, digests: Iterable[bytes]) -> None:
        """These links have ended."""
        for digest in digests:
            self._ended[digest] = None
            if (event := self._asked.get(digest)) is not None:
                event.set()
        while len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]
