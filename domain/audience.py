"""Who sees an event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal


@dataclass(frozen=True, slots=True)
class Audience:
    """The seats that see one event, whole or not at all.

    `seats` is None for *everyone*: all seats present at the event's position. Otherwise it is exactly the seats named,
    and the empty set is nobody. Names are compared whole, never by parts.
    """

    seats: frozenset[str] | None = frozenset()

    def includes(self, seat: str) -> bool:
        """Whether `seat`, taken to be present, sees the event."""
        return self.seats is None or seat in self.seats

    def to_json(self) -> Literal["everyone"] | list[str]:
        """`"everyone"`, or the sorted names."""
        return "everyone" if self.seats is None else sorted(self.seats)

    @classmethod
    def from_json(cls, value: object) -> Audience:
        """The reverse of `to_json`; anything else is a ValueError."""
        if value == "everyone":
            return EVERYONE
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return only(value)
        raise ValueError('an audience is "everyone" or a list of seat names')


EVERYONE = Audience(None)
NOBODY = Audience()


def only(*seats: str | Iterable[str]) -> Audience:
    """The seats named, each given as a name or within an iterable of names."""
    names: set[str] = set()
    for item in seats:
        if isinstance(item, str):
            names.add(item)
        else:
            names.update(item)
    return _named(frozenset(names))


@lru_cache(maxsize=4096)
def _named(names: frozenset[str]) -> Audience:
    return Audience(names)
