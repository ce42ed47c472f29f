"""Which kinds of facts differed in replayed games: a leak of any other kind may stay unfound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce.domain.events import CORE_EVENTS, Recorded
from sottovoce.domain.ruleset import Fact
from sottovoce.isolation.system import System


def hidden(system: System, log: Sequence[Recorded], seat: str) -> set[Fact]:
    """Return the facts of a game that a seat does not see, or not at once, except those of the core's events."""
    shown, kept = set[Fact](), set[Fact]()
    for item in log:
        facts = set() if isinstance(item.event, CORE_EVENTS) else system.ruleset.facts(item.event)
        if item.audience.includes(seat):
            shown |= facts
        else:
            kept |= facts - shown
    return kept


def of_kinds(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the kinds of these facts."""
    return frozenset(fact[0] for fact in facts)


def varied(system: System, base: Sequence[Recorded], twin: Sequence[Recorded], seat: str) -> frozenset[str]:
    """Return the kinds of hidden facts that differ between the two games, as far as the second one goes."""
    shown = [item for item in base if item.audience.includes(seat)]
    last = shown[: sum(item.audience.includes(seat) for item in twin)][-1]
    part = base[: max(place for place, item in enumerate(base, 1) if item.append == last.append)]
    return of_kinds(hidden(system, twin, seat) ^ hidden(system, part, seat))
