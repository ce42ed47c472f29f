"""Who sees an event: audiences, and the values by which an event class states its own.

class NumberHidden(Event[State], name="guessing.number-hidden.v1", seen_by=seat("keeper")): …
class WordPassed(Event[State], name="…", seen_by=named_in("to") | seat("narrator"), by=named_in("player")): …
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal


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
"""All seats present at the event's position."""
NOBODY = Audience()
"""No seat."""


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


@lru_cache(maxsize=4096)
def _one(name: str) -> Audience:
    return _named(frozenset((name,)))


Rule = Callable[[Any, Any], Audience]
"""`(full state just before the event, event) -> audience`."""


class SeenBy:
    """Who sees the events of a class, as a value: a rule, and the words in which a page of rules says it.

    `fields` are those of the event that the rule reads.
    """

    def __init__(self, rule: Rule, words: str, fields: tuple[str, ...] = (), stated: tuple[Rule, ...] = ()) -> None:
        self.rule = rule
        self.words = words
        self.fields = fields
        self._stated = stated

    def __call__(self, state: Any, event: Any) -> Audience:
        return self.rule(state, event)

    def __or__(self, other: SeenBy) -> SeenBy:
        mine, others = self.rule, other.rule

        def both(state: Any, event: Any) -> Audience:
            first, second = mine(state, event).seats, others(state, event).seats
            return EVERYONE if first is None or second is None else _named(first | second)

        fields = (*self.fields, *other.fields)
        return SeenBy(both, f"{self.words}, {other.words}", fields, (*self._stated, *other._stated))

    def stated(self, event: Any) -> Audience:
        """The seats that see the event for what it says itself, or for its class, whatever the state: who has the event
        can tell that they have it too."""
        return only(*(rule(None, event).seats or () for rule in self._stated))

    def __repr__(self) -> str:
        return f"<seen by {self.words}>"


class OneSeat(SeenBy):
    """The one seat that an event names or that is meant by its class: who sees it, or whose act it is."""

    def __init__(self, of: Callable[[Any], Any], words: str, fields: tuple[str, ...] = ()) -> None:
        def named(state: Any, event: Any) -> Audience:
            found = of(event)
            return _one(found) if type(found) is str else _seats_in(found)

        super().__init__(named, words, fields, (named,))
        self.of = of


everyone = SeenBy(lambda state, event: EVERYONE, "everyone")
"""Every seat sees the event."""
nobody = SeenBy(lambda state, event: NOBODY, "nobody")
"""No seat sees the event."""


def seat(name: str) -> OneSeat:
    """The seat of that name."""
    return OneSeat(lambda event: name, f"`{name}`")


def named_in(field: str) -> OneSeat:
    """The seat or seats that a field of the event names, nobody where it is None; `message.sender` reaches inside."""
    return OneSeat(attrgetter(field), f"the `{field}`", (field.partition(".")[0],))


def those(rule: Callable[[Any, Any], Iterable[str] | Audience]) -> SeenBy:
    """The seats that a rule of the ruleset's own finds in the state before the event; its docstring says which."""

    def found(state: Any, event: Any) -> Audience:
        seats = rule(state, event)
        return seats if isinstance(seats, Audience) else _named(frozenset(seats))

    return SeenBy(found, " ".join((rule.__doc__ or rule.__name__).split()).rstrip("."))


def _seats_in(named: str | Iterable[str] | None) -> Audience:
    if named is None:
        return NOBODY
    return _named(frozenset((named,) if isinstance(named, str) else named))
