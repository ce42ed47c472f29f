"""The compared parts of an answer: status, headers in their order, the body in the parts in which it arrived, and when.

What is generated for an answer and belongs to no game, such as tokens and the IDs of new games, is made equal first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

TOKEN = re.compile(rb"sv([hkswa])_[A-Za-z0-9_-]{43}")
NEW_GAME = re.compile(rb'^\{"game":"([a-z0-9]{10})","links?":')
TIMED = re.compile(rb"^(sottovoce_request_seconds_(bucket|sum|created)|\S+_created).*\n?", re.MULTILINE)
"""Lines of /metrics that say how long something took on this machine, or when it began."""
PING = re.compile(rb"^: ping - [0-9: .+-]+", re.MULTILINE)
"""The heartbeats of `/mcp`; its SDK writes the time of day into them."""
DATE = b"date"


@dataclass(slots=True)
class Answer:
    """An answer, or the part that has arrived. Each part of the body has its time of arrival."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    parts: list[tuple[float, bytes]] = field(default_factory=list)
    ended: bool = False
    error: str | None = None

    @property
    def body(self) -> bytes:
        """Return the body so far."""
        return b"".join(part for _, part in self.parts)

    def told(self) -> list[bytes]:
        """Return the lines that must be the same on both sides."""
        lines = [b"status %d" % self.status]
        unlike = (DATE, b"content-length") if TIMED.search(self.body) else (DATE,)
        lines += [name + b": " + value for name, value in self.headers if name.lower() not in unlike]
        lines += [b"%.3f s: " % when + evened(part) for when, part in self.parts]
        lines.append(f"ended {self.ended} {self.error or ''}".encode())
        return lines

    def bytes(self) -> list[bytes]:
        """Return the same without the times, for two answers of one world."""
        return [re.sub(rb"^[0-9.]+ s: ", b"", line) for line in self.told()]


def evened(body: bytes) -> bytes:
    """Return the body with generated parts made equal, and without durations."""
    made = NEW_GAME.match(body)
    if made is not None:
        body = body.replace(made[1], b"new-game")
    return PING.sub(b": ping", TIMED.sub(b"", TOKEN.sub(rb"sv\1_token", body)))


def difference(one: Sequence[bytes], other: Sequence[bytes]) -> str | None:
    """Return the first line in which two answers differ, or None."""
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return _apart(mine.decode(errors="replace"), theirs.decode(errors="replace"))
    if len(one) != len(other):
        longer = one if len(one) > len(other) else other
        return f"one has {abs(len(one) - len(other))} parts more: {longer[min(len(one), len(other))][:200]!r}"
    return None


def _apart(one: str, other: str) -> str:
    """Return the two texts around the place where they differ."""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - 60)
    return f"{one[start : at + 80]!r} against {other[start : at + 80]!r}"
